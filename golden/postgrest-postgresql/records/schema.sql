CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
CREATE FUNCTION one() RETURNS record LANGUAGE sql STABLE AS 'SELECT * FROM team WHERE id = 1';
CREATE FUNCTION all_of() RETURNS SETOF record LANGUAGE sql STABLE AS 'SELECT * FROM team ORDER BY id';
CREATE FUNCTION no_team() RETURNS SETOF record LANGUAGE sql STABLE AS 'SELECT * FROM team WHERE id = 9';
CREATE FUNCTION one_named(wanted integer, OUT id integer, OUT called text) LANGUAGE sql STABLE
    AS 'SELECT id, name FROM team WHERE id = wanted';
CREATE FUNCTION all_named(OUT id integer, OUT called text) RETURNS SETOF record LANGUAGE sql STABLE
    AS 'SELECT id, name FROM team ORDER BY id DESC';
CREATE FUNCTION shifted(lowest integer, INOUT by integer, OUT id integer) RETURNS SETOF record LANGUAGE sql STABLE
    AS 'SELECT by + 1, id + by FROM team WHERE id >= lowest ORDER BY id';
CREATE FUNCTION made(new integer, OUT id integer, OUT called text) RETURNS SETOF record LANGUAGE sql
    AS 'INSERT INTO team VALUES (new, ''New'') RETURNING *';
