CREATE TABLE net (id integer PRIMARY KEY, block cidr, host inet, letter "char", part int4range, list integer[], doc jsonb, plain json);
INSERT INTO net VALUES (1, '10.0.0.0/8', '10.0.0.1', 'a', '[1,5)', '{1,2}', '{"n": 1, "s": "x"}', '{"n": 1}'),
    (2, '10.0.0.1/32', '10.0.0.1/8', 'b', '[5,9)', '{3}', '{"n": [2], "s": "y"}', '{"n": 2}'),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE block (block cidr PRIMARY KEY, note text);
CREATE TABLE letter (letter "char" PRIMARY KEY, note text);
