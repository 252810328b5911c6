CREATE TABLE item (id integer NOT NULL PRIMARY KEY, name varchar(40), data json);
INSERT INTO item VALUES (1, 'Kayak', '{"a": 1}');
CREATE VIEW shown AS SELECT id, name FROM item;
