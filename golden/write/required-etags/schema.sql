CREATE TABLE item (id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
INSERT INTO item VALUES (1, 'bolt'), (2, 'nut');
