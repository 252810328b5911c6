-- Groups of rows: keys of each type, NULLs, joined rows, aggregates.
CREATE TABLE country (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL);
INSERT INTO country VALUES (1, 'Chile'), (2, 'Ghana'), (3, 'Nepal');
CREATE TABLE sale (
  id INTEGER PRIMARY KEY, country_id INTEGER REFERENCES country (id), kind VARCHAR(5), amount NUMERIC(10,2),
  pieces INTEGER, weight DOUBLE PRECISION, sold DATE, noted TIMESTAMP, paid BOOLEAN);
INSERT INTO sale VALUES
  (1, 1, 'a', 0.10, 3, 0.5, '2022-03-20', '2022-03-20T10:00:00', TRUE),
  (2, 1, 'b', 0.20, 4, 1.25, '2022-03-20', '2022-03-20 09:00:00', FALSE),
  (3, 1, 'a', 1000000.10, 5, NULL, '2022-03-21', '2022-03-21 00:00:00', TRUE),
  (4, 2, 'a', NULL, NULL, 2, NULL, NULL, NULL),
  (5, 2, NULL, 7.00, 1, 4, '2021-01-01', '2021-01-01 00:00:00.5', TRUE),
  (6, NULL, 'b', 2.50, 2, 8, '2023-01-01', '2022-03-20 10:00:00', FALSE);
CREATE TABLE tag (id INTEGER PRIMARY KEY, sale_id INTEGER NOT NULL REFERENCES sale (id), name VARCHAR(10));
INSERT INTO tag VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x');
