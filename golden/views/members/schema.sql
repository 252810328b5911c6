-- What a member can be.
CREATE TABLE maker (maker_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, country VARCHAR(20));
CREATE TABLE thing (
  thing_id INTEGER PRIMARY KEY, name VARCHAR(20), price NUMERIC(8,2), amount INTEGER, weight DOUBLE PRECISION, made DATE, at TIMESTAMP, active BOOLEAN,
  extras JSON, secret VARCHAR(20), maker_id INTEGER REFERENCES maker (maker_id));
CREATE TABLE tag (tag_id INTEGER PRIMARY KEY, thing_id INTEGER NOT NULL REFERENCES thing (thing_id), word VARCHAR(20));
CREATE TABLE passport (thing_id INTEGER PRIMARY KEY REFERENCES thing (thing_id), number VARCHAR(10));
INSERT INTO maker VALUES (1, 'Acme', 'FR'), (2, 'Bolt', NULL);
INSERT INTO thing VALUES
  (1, 'Anvil', 10.50, 3, 2.5, '2022-03-20', '2022-03-20 01:02:03', TRUE, '{"color": "red", "sizes": [1, 2]}', 'hush', 1),
  (2, 'Bell', 4, 0, -0.25, NULL, NULL, FALSE, '{}', NULL, 2),
  (3, NULL, NULL, NULL, NULL, '1999-12-31', '1999-12-31T23:59:59.5', NULL, NULL, NULL, NULL),
  (4, 'é "q"', 0.99, 3, 1e10, NULL, NULL, TRUE, '{"color": null}', 'x', 1);
INSERT INTO tag VALUES (2, 1, 'heavy'), (1, 1, 'iron'), (3, 1, NULL), (4, 4, 'heavy');
INSERT INTO passport VALUES (1, 'A-1'), (4, 'D-4');
