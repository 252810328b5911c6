-- Views of the database, with and without a declared key, and fields of a table that has none.
CREATE TABLE team (id INTEGER PRIMARY KEY, name VARCHAR(20), points INTEGER);
INSERT INTO team VALUES (1, 'a', 10), (2, 'b', 20), (3, 'b', 30);
CREATE VIEW named AS SELECT id, name FROM team;
CREATE VIEW listed AS SELECT name, points FROM team;
CREATE VIEW by_two AS SELECT name, points, id FROM team;
CREATE TABLE log (at TIMESTAMP, line VARCHAR(20));
INSERT INTO log VALUES ('2022-03-20 00:00:00', 'x'), (NULL, 'y'), ('2022-03-19 00:00:00', NULL), ('2022-03-20 00:00:00', 'x');
