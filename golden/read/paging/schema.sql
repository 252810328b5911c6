-- Pages by offset and by key-set: ties, NULLs, text with commas, keys of two columns.
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20), points INTEGER, kind VARCHAR(5) NOT NULL);
INSERT INTO item VALUES (1, 'a,b', 10, 'x'), (2, NULL, 20, 'y'), (3, 'a,b', NULL, 'x'), (4, '', 10, 'y'), (5, '~', NULL, 'x'), (6, 'é', 10, 'y'), (7, NULL, NULL, 'x');
CREATE TABLE pair (a VARCHAR(5), b INTEGER, n INTEGER, PRIMARY KEY (a, b));
INSERT INTO pair VALUES ('x', 1, 1), ('x', 2, 2), ('y', 1, 3), (',', 5, 4), ('x', -3, 5);
CREATE TABLE none_yet (id INTEGER PRIMARY KEY);
CREATE TABLE many (id INTEGER PRIMARY KEY);
INSERT INTO many (id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n;
ANALYZE;
