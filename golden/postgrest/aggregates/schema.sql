CREATE TABLE client (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE project (id integer NOT NULL PRIMARY KEY, name varchar(40), client_id integer REFERENCES client (id));
CREATE TABLE invoice (id integer NOT NULL PRIMARY KEY, project_id integer REFERENCES project (id), total integer,
    paid numeric(10, 2), sent timestamp, note varchar(40));
CREATE TABLE tag (id integer NOT NULL PRIMARY KEY, label varchar(40) NOT NULL);
CREATE TABLE tagged (project_id integer NOT NULL REFERENCES project (id), tag_id integer NOT NULL REFERENCES tag (id),
    PRIMARY KEY (project_id, tag_id));
CREATE TABLE counted (id integer NOT NULL PRIMARY KEY, count integer);
INSERT INTO client VALUES (1, 'One'), (2, 'Two');
INSERT INTO project VALUES (1, 'Bridge', 1), (2, 'Tower', 1), (3, 'Bridge', 2), (4, NULL, NULL);
INSERT INTO invoice VALUES (1, 1, 100, 10.50, '2026-01-01 08:00:00', 'b'), (2, 1, 200, 20.25, '2026-01-02 08:00:00', 'a'),
    (3, 2, 500, NULL, '2026-01-03 08:00:00', NULL), (4, 3, 1200, 3.00, NULL, 'c'), (5, NULL, NULL, 1.10, NULL, 'd');
INSERT INTO tag VALUES (1, 'steel'), (2, 'wood');
INSERT INTO tagged VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO counted VALUES (1, 7), (2, 8);
