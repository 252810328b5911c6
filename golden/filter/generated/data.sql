INSERT INTO maker VALUES (1, 'Acme', 'DE'), (2, 'Best', NULL);
INSERT INTO thing VALUES
  (1, 1, 'nut', 0.10, 3, '2022-01-01', '{"a":{"b":2}}'),
  (2, 1, 'bolt', 2.50, 4, '2023-05-01', '{"a":{"b":1}}'),
  (3, 2, 'saw', 10, 1, NULL, '{"a":[]}'),
  (4, NULL, 'glue', NULL, 7, '2021-01-01', NULL);
INSERT INTO part VALUES (1, 1, 'a', 1), (2, 1, 'b', 2), (3, 2, 'a', 2), (4, 3, NULL, 3);
