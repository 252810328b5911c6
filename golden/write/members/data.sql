INSERT INTO maker (id, name, country) VALUES (101, 'Acme', 'FR'), (102, 'Bolt', NULL);
INSERT INTO person (id, name, boss_id) VALUES (101, 'Ann', NULL), (102, 'Bob', 101), (103, 'Cid', 101);
INSERT INTO song (id, title) VALUES (101, 'one'), (102, 'two'), (103, 'three');
