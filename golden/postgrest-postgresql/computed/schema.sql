CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer PRIMARY KEY, name text NOT NULL, points integer, team_id integer REFERENCES team (id));
CREATE TABLE note (text text NOT NULL);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (10, 'Max', 50, 1), (11, 'Sergio', 30, 1), (12, 'Charles', 40, 2), (13, 'Nobody', NULL, NULL);
INSERT INTO note VALUES ('a');
CREATE FUNCTION initial(driver) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT left($1.name, 1)';
CREATE FUNCTION initial(team) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower(left($1.name, 1))';
CREATE FUNCTION is_fast(one driver) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT one.points > 35';
CREATE FUNCTION details(driver) RETURNS jsonb LANGUAGE sql STABLE AS $$SELECT jsonb_build_object('points', $1.points)$$;
CREATE FUNCTION name(driver) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'hidden by the column'$$;
CREATE FUNCTION owners(driver) RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
CREATE FUNCTION best(team) RETURNS SETOF driver ROWS 1 LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE team_id = $1.id ORDER BY points DESC';
CREATE FUNCTION members(team) RETURNS SETOF driver LANGUAGE sql STABLE AS 'SELECT * FROM driver WHERE team_id = $1.id';
CREATE FUNCTION its_team(driver) RETURNS team LANGUAGE sql STABLE AS 'SELECT * FROM team WHERE id = $1.team_id';
CREATE FUNCTION rivals(driver) RETURNS SETOF driver LANGUAGE sql STABLE
    AS 'SELECT * FROM driver WHERE team_id <> $1.team_id AND points > 30';
CREATE FUNCTION of_note(note) RETURNS SETOF team LANGUAGE sql STABLE AS 'SELECT * FROM team';
CREATE FUNCTION all_drivers() RETURNS SETOF driver LANGUAGE sql STABLE AS 'SELECT * FROM driver';
CREATE FUNCTION counted(driver) RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT 7';
