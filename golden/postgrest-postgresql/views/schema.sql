CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer PRIMARY KEY, name text NOT NULL, points integer, team_id integer REFERENCES team (id));
CREATE TABLE stop (id integer PRIMARY KEY, driver_id integer NOT NULL REFERENCES driver (id));
CREATE TABLE race (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE result (race_id integer REFERENCES race (id), driver_id integer REFERENCES driver (id), place integer,
    PRIMARY KEY (race_id, driver_id));
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (10, 'Max', 50, 1), (11, 'Sergio', 30, 1), (12, 'Charles', 40, 2), (13, 'Nobody', NULL, NULL);
INSERT INTO stop VALUES (1, 10), (2, 10), (3, 12);
INSERT INTO race VALUES (20, 'Bahrain'), (21, 'Monza');
INSERT INTO result VALUES (20, 10, 1), (21, 10, 3), (20, 12, 2);
CREATE VIEW fast AS SELECT id, name, points, team_id FROM driver WHERE points > 35;
CREATE VIEW crew AS SELECT name AS title, id AS number FROM team;
CREATE VIEW crew_again AS SELECT * FROM crew;
CREATE VIEW placed AS SELECT * FROM result;
-- Of two tables: no key of its own.
CREATE VIEW pair AS SELECT d.id, d.name, t.name AS team_name, d.team_id FROM driver d JOIN team t ON t.id = d.team_id;
CREATE VIEW doubled AS SELECT id, name, team_id FROM driver UNION ALL SELECT id, name, team_id FROM driver;
CREATE VIEW unkeyed AS SELECT name, points FROM driver;
CREATE MATERIALIZED VIEW old AS SELECT * FROM driver;
CREATE VIEW by_trigger AS SELECT id, name FROM team;
CREATE FUNCTION instead() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN INSERT INTO team VALUES (NEW.id, NEW.name || '!'); NEW.name := NEW.name || '!'; RETURN NEW; END$$;
CREATE TRIGGER instead INSTEAD OF INSERT ON by_trigger FOR EACH ROW EXECUTE FUNCTION instead();
