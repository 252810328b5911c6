CREATE TABLE counted (id integer PRIMARY KEY, half integer);
INSERT INTO counted SELECT n, n / 2 FROM generate_series(1, 1000) AS n;
ANALYZE counted;
CREATE VIEW few AS SELECT id FROM counted WHERE half = 7;
