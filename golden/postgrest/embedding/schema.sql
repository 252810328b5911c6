CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, points integer,
    team_id integer REFERENCES team (id), mentor_id integer REFERENCES driver (id));
CREATE TABLE car (driver_id integer NOT NULL PRIMARY KEY REFERENCES driver (id), color varchar(20));
CREATE TABLE race (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE result (race_id integer NOT NULL REFERENCES race (id), driver_id integer NOT NULL REFERENCES driver (id),
    place integer, PRIMARY KEY (race_id, driver_id));
CREATE TABLE game (id integer NOT NULL PRIMARY KEY, home_id integer REFERENCES team (id), guest_id integer REFERENCES team (id));
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'Empty');
INSERT INTO driver VALUES (10, 'Max', 50, 1, NULL), (11, 'Sergio', 30, 1, 10), (12, 'Charles', 40, 2, 11),
    (13, 'Nobody', NULL, NULL, NULL);
INSERT INTO car VALUES (10, 'navy'), (12, 'red');
INSERT INTO race VALUES (20, 'Bahrain'), (21, 'Monza'), (22, 'Spa');
INSERT INTO result VALUES (20, 10, 1), (21, 10, 3), (20, 11, 2), (21, 12, 1);
INSERT INTO game VALUES (1, 1, 2), (2, 2, 3);
