CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, color varchar(20) DEFAULT 'none');
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, points integer,
    team_id integer REFERENCES team (id));
CREATE TABLE place (row_no integer NOT NULL, col_no integer NOT NULL, label varchar(20), PRIMARY KEY (row_no, col_no));
CREATE TABLE visit (note varchar(20));
INSERT INTO team VALUES (1, 'Red', 'red'), (2, 'Blue', 'blue');
INSERT INTO driver VALUES (10, 'Max', 50, 1), (11, 'Sergio', 30, 1), (12, 'Charles', 40, 2);
CREATE TABLE paper (id integer NOT NULL PRIMARY KEY, doc json);
INSERT INTO paper VALUES (1, '{"a": 1, "b": {"c": 2}}'), (2, NULL);
