-- Values at the edges of their types.
CREATE TABLE edge (
  id INTEGER PRIMARY KEY, t VARCHAR(40), n INTEGER, big BIGINT, d NUMERIC(12,3), f DOUBLE PRECISION, j JSON, day DATE);
INSERT INTO edge VALUES
  (1, 'Größe É', 2147483647, 9007199254740993, 2.5, 2.5, '{"a": null}', '2022-03-20'),
  (2, '', 0, 0, 0, 0, '{}', NULL),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, '  ab c ', -7, -9223372036854775807, -2.675, -0.5, '{"b": 1}', '1999-12-31'),
  (5, 'Straße ΣΑΣ İ', 7, 1, 1.005, 1e300, NULL, NULL),
  (6, '12.50', 1, 12, 0.1, 1.5, NULL, NULL),
  (7, 'a%b_c', 15, -5, 1234.5, -3.5, NULL, NULL);
