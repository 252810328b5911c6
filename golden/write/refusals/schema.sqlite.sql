CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL UNIQUE);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL,
  number integer CONSTRAINT two_digits CHECK (number BETWEEN 1 AND 99), low integer, high integer,
  team_id integer CONSTRAINT driver_team REFERENCES team (team_id), CONSTRAINT in_order CHECK (low < high));
INSERT INTO team VALUES (1, 'Red Bull'), (301, 'Ferrari');
INSERT INTO driver VALUES (7, 'Kimi', 7, 1, 2, 301);
