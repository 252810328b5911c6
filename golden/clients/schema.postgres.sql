CREATE TABLE kit (id integer PRIMARY KEY, tags text[], data jsonb, during int4range, note text, words tsvector);
INSERT INTO kit VALUES
    (1, '{a,b}', '{"a": 1, "b": [1, 2]}', '[1,5)', 'light and fast', to_tsvector('light and fast')),
    (2, '{"c d"}', '{"a": 2}', '[9,20)', 'heavy and slow', to_tsvector('heavy and slow')),
    (3, NULL, NULL, NULL, NULL, NULL);
CREATE FUNCTION add(a integer, b integer DEFAULT 10) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION fast(lowest integer) RETURNS SETOF driver LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE points >= lowest ORDER BY points';
CREATE FUNCTION fastest() RETURNS driver LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE points IS NOT NULL ORDER BY points DESC LIMIT 1';
CREATE FUNCTION totals() RETURNS TABLE (team varchar, total bigint) LANGUAGE sql STABLE
    AS 'SELECT t.name, sum(d.points) FROM team t JOIN driver d ON d.team_id = t.id GROUP BY 1';
CREATE FUNCTION numbers(most integer) RETURNS SETOF integer LANGUAGE sql IMMUTABLE
    AS 'SELECT * FROM generate_series(1, most)';
CREATE FUNCTION touch(driver_id integer) RETURNS void LANGUAGE sql AS 'UPDATE driver SET points = points WHERE id = driver_id';
CREATE FUNCTION joined(parts text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT array_to_string(parts, '+')$$;
CREATE FUNCTION twice(number integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2 * number';
CREATE FUNCTION twice(text_value text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT text_value || text_value';
CREATE FUNCTION fail() RETURNS void LANGUAGE plpgsql
    AS $$BEGIN RAISE EXCEPTION 'no fuel' USING HINT = 'Fill it.', DETAIL = 'The tank is empty.'; END$$;
