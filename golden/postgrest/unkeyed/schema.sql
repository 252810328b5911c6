CREATE TABLE visit (who text, page text NOT NULL, seconds integer CONSTRAINT positive CHECK (seconds >= 0));
INSERT INTO visit VALUES ('a', 'home', 1), ('b', 'home', 2), ('a', 'shop', 3), (NULL, 'shop', NULL);
CREATE TABLE item (id integer PRIMARY KEY, name text DEFAULT 'unnamed', size integer);
INSERT INTO item VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30);
CREATE TABLE part (id integer PRIMARY KEY, item_id integer REFERENCES item (id));
INSERT INTO part VALUES (7, 3);
