UPDATE types SET bytes = '\x00010203ff', numbers = '{1,-2,NULL}', labels = '{a,"b,c","d\"e",NULL}' WHERE id = 1;
UPDATE types SET bytes = '\x', numbers = '{}', labels = '{}' WHERE id = 2;
UPDATE types SET numbers = '{{1,2},{3,4}}', labels = '{"NULL",""," "}' WHERE id = 5;
INSERT INTO types (id, single, double) VALUES (6, 'Infinity', '-Infinity');
