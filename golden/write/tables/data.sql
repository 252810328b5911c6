INSERT INTO touched (id, name) VALUES (1, 'one');
INSERT INTO kept VALUES (1, 'one');
INSERT INTO ignoring VALUES (1, 'one');
INSERT INTO loose VALUES (1, 'x');
