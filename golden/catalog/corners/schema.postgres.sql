-- What must not bring introspection down, and routines.
CREATE TABLE "odd "" name" ("select" int, "a b" text, "c" int CHECK ("c" <> 0), "é" text);
CREATE TABLE nothing ();
CREATE TEMP TABLE gone (a int);
CREATE TABLE counted AS SELECT n AS a FROM generate_series(1, 2) n;
ANALYZE counted;
CREATE TABLE split (a int) PARTITION BY LIST (a);
CREATE TABLE split_1 PARTITION OF split FOR VALUES IN (1);
INSERT INTO split VALUES (1), (1), (1);
ANALYZE split_1;
CREATE FUNCTION add(a int, b int DEFAULT 2, c int DEFAULT 3) RETURNS int LANGUAGE sql AS 'SELECT a + b + c';
CREATE FUNCTION add(text, VARIADIC rest text[]) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION found(INOUT key bigint, OUT label text) LANGUAGE sql SECURITY DEFINER AS 'SELECT key, ''x''';
CREATE FUNCTION listed(top int) RETURNS TABLE (id int, name varchar) LANGUAGE sql AS 'SELECT 1, ''a''::varchar';
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE PROCEDURE renew(INOUT done int DEFAULT 0) LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE total (int) (sfunc = int4pl, stype = int);
COMMENT ON FUNCTION listed IS 'Rows';
-- What the reader of this catalog may see.
CREATE SCHEMA hidden;
CREATE TABLE hidden.unreachable (a int);
CREATE TABLE private (a int);
CREATE TABLE partly (id int PRIMARY KEY, secret text UNIQUE, shown text, UNIQUE (shown, id));
CREATE FUNCTION forbidden() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE ROLE reader LOGIN;
GRANT SELECT ON hidden.unreachable, "odd "" name", nothing, counted, split TO reader;
GRANT SELECT (id, shown) ON partly TO reader;
REVOKE EXECUTE ON FUNCTION forbidden FROM PUBLIC;
