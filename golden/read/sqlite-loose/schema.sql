CREATE TABLE loose (id INTEGER PRIMARY KEY, number INTEGER, flag BOOLEAN, price NUMERIC(8,2), at TIMESTAMP, doc JSON, words TEXT, bytes BLOB, uid UUID);
INSERT INTO loose VALUES
  (1, 1, 1, 1, '2022-03-20 01:02:03', '{"a": 1}', 'text', X'00', '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab'),
  (2, 'many', 'yes', 'dear', 'soon', '{broken', X'FF00', 'text', 'no uuid'),
  (3, 2.5, 7, 0.125, 1647734400, NULL, NULL, 42, X'00112233445566778899AABBCCDDEEFF'),
  (4, X'0102', NULL, 1e15, '2022-03-20T01:02:03+02:00', '[1,', '', NULL, 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11');
CREATE TABLE untyped (k PRIMARY KEY, v);
INSERT INTO untyped VALUES (1, 'one'), (2.5, 'two and a half'), ('three', 3), ('4', 'four as text'), (10, X'00FF'), (NULL, 'no key'), (NULL, 'none either');
CREATE TABLE by_guid (id UNIQUEIDENTIFIER PRIMARY KEY, n INTEGER);
INSERT INTO by_guid VALUES ('6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab', 1), ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 2), (X'00112233445566778899AABBCCDDEEFF', 3);
CREATE VIEW sums AS SELECT number, count(*) AS n, sum(price) AS total FROM loose GROUP BY number;
