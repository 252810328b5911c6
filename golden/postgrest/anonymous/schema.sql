CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
INSERT INTO team VALUES (1, 'Red');
