CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, color varchar(20) DEFAULT 'none');
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, points integer,
    team_id integer REFERENCES team (id));
CREATE TABLE race (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE result (race_id integer NOT NULL REFERENCES race (id), driver_id integer NOT NULL REFERENCES driver (id),
    place integer, PRIMARY KEY (race_id, driver_id));
CREATE TABLE car (id bigint NOT NULL PRIMARY KEY, data json);
INSERT INTO team VALUES (1, 'Red', 'red'), (2, 'Blue', 'blue'), (3, 'Empty', NULL);
INSERT INTO driver VALUES (10, 'Max', 50, 1), (11, 'Sergio', 30, 1), (12, 'Charles', 40, 2), (13, 'Vettel, S.', NULL, NULL);
INSERT INTO race VALUES (20, 'Bahrain'), (21, 'Monza');
INSERT INTO result VALUES (20, 10, 1), (21, 10, 3), (20, 11, 2), (21, 12, 1);
INSERT INTO car VALUES (1, '{"color": "red", "seats": 1}'), (2, '{"color": "blue"}');
