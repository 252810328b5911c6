CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer PRIMARY KEY, name text NOT NULL, points integer, team_id integer REFERENCES team (id));
CREATE TABLE stop (id integer PRIMARY KEY, driver_id integer NOT NULL REFERENCES driver (id));
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (10, 'Max', 50, 1), (11, 'Sergio', 30, 1), (12, 'Charles', 40, 2), (13, 'Nobody', NULL, NULL);
INSERT INTO stop VALUES (1, 10), (2, 10), (3, 12);
CREATE TYPE spot AS (x integer, y integer);
CREATE FUNCTION add(a integer, b integer DEFAULT 10) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION greeting() RETURNS text LANGUAGE sql STABLE AS $$SELECT 'hello'$$;
CREATE FUNCTION missing() RETURNS text LANGUAGE sql STABLE AS 'SELECT NULL::text';
CREATE FUNCTION numbers(most integer) RETURNS SETOF integer LANGUAGE sql IMMUTABLE AS 'SELECT * FROM generate_series(1, most)';
CREATE FUNCTION fast(lowest integer) RETURNS SETOF driver LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE points >= lowest ORDER BY points DESC';
CREATE FUNCTION fastest() RETURNS driver LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE points IS NOT NULL ORDER BY points DESC LIMIT 1';
CREATE FUNCTION nobody() RETURNS driver LANGUAGE sql STABLE AS 'SELECT * FROM driver WHERE id = 99';
CREATE FUNCTION totals(lowest bigint DEFAULT 0) RETURNS TABLE (team text, total bigint) LANGUAGE sql STABLE
    AS 'SELECT t.name, sum(d.points) FROM team t JOIN driver d ON d.team_id = t.id GROUP BY 1 HAVING sum(d.points) >= lowest ORDER BY 2';
CREATE FUNCTION middle(a integer, b integer, OUT half numeric, OUT sum integer) LANGUAGE sql IMMUTABLE
    AS 'SELECT (a + b) / 2.0, a + b';
CREATE FUNCTION place(x integer, y integer) RETURNS spot LANGUAGE sql IMMUTABLE AS 'SELECT ROW(x, y)::spot';
CREATE FUNCTION joined(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT array_to_string(parts, '+')$$;
CREATE FUNCTION of_array(parts integer[]) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT cardinality(parts)';
CREATE FUNCTION of_spot(one spot) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT one.x + one.y';
CREATE FUNCTION of_json(value jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS 'SELECT value';
CREATE FUNCTION whole(jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION whole_text(text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT length($1)';
CREATE FUNCTION whole_bytes(bytea) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT octet_length($1)';
CREATE FUNCTION twice(number integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2 * number';
CREATE FUNCTION twice(word text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT word || word';
CREATE FUNCTION either(a integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION either(a text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION hire(id integer, name text) RETURNS SETOF driver LANGUAGE sql
    AS 'INSERT INTO driver (id, name) VALUES (id, name) RETURNING *';
CREATE FUNCTION rename(driver_id integer, new text) RETURNS void LANGUAGE sql AS 'UPDATE driver SET name = new WHERE id = driver_id';
CREATE FUNCTION fail() RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no fuel'; END$$;
CREATE FUNCTION divide(a integer, b integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a / b';
CREATE FUNCTION owners() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
CREATE FUNCTION next(number integer, OUT after integer) LANGUAGE sql IMMUTABLE AS 'SELECT number + 1';
CREATE FUNCTION words() RETURNS TABLE (word text) LANGUAGE sql IMMUTABLE AS $$VALUES ('a'), ('b')$$;
CREATE FUNCTION of_char(value char) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT value::text';
CREATE FUNCTION of_bytes(h bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS 'SELECT h';
CREATE FUNCTION of_many_bytes(hs bytea[]) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT octet_length(hs[1])';
CREATE FUNCTION glued(sep text, VARIADIC parts integer[] DEFAULT '{7,8}') RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT array_to_string(parts, sep)';
