-- Every type that Duet knows, and some that it passes on as text.
CREATE SCHEMA extras;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'Very "happy"');
CREATE TYPE extras.pair AS (a int, b text);
CREATE DOMAIN positive AS numeric(10,2) DEFAULT 1 CHECK (VALUE > 0);
CREATE DOMAIN price AS positive NOT NULL CONSTRAINT cheap CHECK (VALUE < 1000 AND 'VALUE' <> '');
CREATE DOMAIN moods AS mood[];
CREATE COLLATION loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE typed (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  flag boolean NOT NULL DEFAULT true,
  small smallint, number integer, big bigint,
  price numeric(10,2), ratio numeric, whole numeric(8), hundreds numeric(4,-2),
  single real, double double precision,
  short char(5), unbounded bpchar, name varchar(40) DEFAULT 'x''y', words text, system_name name,
  one_byte "char", bytes bytea, uid uuid DEFAULT gen_random_uuid(),
  day date, clock time(3), clock_tz timetz, stamp timestamp, moment timestamptz DEFAULT now(),
  span interval, document json, packed jsonb,
  numbers int[], matrix numeric(6,3)[][], names text[], moods mood[],
  feeling mood DEFAULT 'ok', worth positive, cost price, feelings moods, loose text COLLATE loosely,
  -- As their text:
  cash money, markup xml, host inet, bits bit varying(8), valid int4range, periods tstzmultirange,
  place point, words_seen tsvector, row_of extras.pair, object_id oid, numbers_of int2vector,
  doubled numeric GENERATED ALWAYS AS (price * 2) STORED
);
COMMENT ON TABLE typed IS 'All the types';
COMMENT ON COLUMN typed.price IS 'In the shop''s currency';
CREATE VIEW shown AS SELECT t.id, t.price, t.price * 2 AS twice, count(*) AS n FROM typed t GROUP BY t.id;
COMMENT ON VIEW shown IS 'A view';
CREATE MATERIALIZED VIEW kept AS SELECT id, name FROM typed;
CREATE UNIQUE INDEX kept_key ON kept (id);
