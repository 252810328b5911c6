CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN price AS numeric(12,2);
CREATE TABLE known (id int PRIMARY KEY, feeling mood, feelings mood[], amount numeric, cost price, single real, double double precision,
  day date, stamp timestamp, moment timestamptz, matrix numeric(6,3)[][], days date[], docs jsonb[], uids uuid[], code char(5), bits boolean[], spans interval[], raw bytea[]);
INSERT INTO known (id, feeling, feelings, amount, cost, single, double, day, stamp, moment) VALUES
  (1, 'happy', '{sad,happy,NULL}', 123456789012345678901234567890.123456789012345678901234567890, 1.5, 'NaN', 'NaN', 'infinity', 'infinity', '-infinity'),
  (2, 'sad', '{}', 'NaN', 0, '-Infinity', 'Infinity', '-infinity', '-infinity', 'infinity'),
  (3, 'ok', NULL, 'Infinity', -0.01, 1e-45, 5e-324, '0044-03-15 BC', '12022-01-01', '294276-12-31 23:59:59Z');
UPDATE known SET matrix = '{{1,2.5},{-3,NULL}}', days = '{2022-03-20,NULL}', docs = ARRAY['{"a": 1}'::jsonb, 'null'::jsonb],
  uids = '{6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB}', code = 'ab', bits = '{t,f,NULL}', spans = '{1 day,-2 hours}', raw = '{"\\x00ff",NULL}' WHERE id = 1;
CREATE TABLE passed_on (id int PRIMARY KEY, cash money, markup xml, host inet, net cidr, mac macaddr, bits bit(4), some_bits varbit, valid int4range,
  periods tstzmultirange, place point, shape polygon, words tsvector, asked tsquery, pair pair, pairs pair[], object oid, class regclass, snapshot pg_lsn, path jsonpath);
INSERT INTO passed_on VALUES (1, 1234.5, '<a b="c">d</a>', '10.0.0.1', '10.0.0.0/8', '08:00:2b:01:02:03', '1010', '1', '[1,5)',
  '{[2022-03-20 00:00:00+00,2022-03-21 00:00:00+00)}', '(1,2)', '((0,0),(1,1),(1,0))', to_tsvector('simple', 'a fat cat'), 'fat & cat', '(1,"x y")',
  ARRAY['(1,"x y")'::pair], 42, 'known', '0/16B3748', '$.a[*]');
CREATE TABLE by_enum (feeling mood PRIMARY KEY, n int);
INSERT INTO by_enum VALUES ('sad', 1), ('happy', 2);
CREATE TABLE by_inet (host inet PRIMARY KEY, n int);
INSERT INTO by_inet VALUES ('10.0.0.1', 1), ('::1', 2), ('10.0.0.9/24', 3), ('9.0.0.0/8', 4);
CREATE DOMAIN host AS inet;
CREATE TABLE hosts (id int PRIMARY KEY, host host, hosts inet[], net cidr);
INSERT INTO hosts VALUES (1, '10.0.0.1', '{10.0.0.1,::1,10.0.0.0/8,NULL}', '10.0.0.1/32'), (2, '2001:DB8::1/64', '{{10.0.0.1},{::1}}', '10.0.0.0/8');
CREATE TABLE by_amount (amount numeric PRIMARY KEY, n int);
INSERT INTO by_amount VALUES (1.50, 1), (123456789012345678901234567890, 2), ('NaN', 3);
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TABLE by_citext (word citext PRIMARY KEY, n int);
INSERT INTO by_citext VALUES ('Apple', 1), ('pear', 2);
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE by_nocase (word text COLLATE nocase PRIMARY KEY, n int);
INSERT INTO by_nocase VALUES ('Apple', 1), ('pear', 2);
