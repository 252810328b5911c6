INSERT INTO maker (id, name, country) VALUES (101, 'Acme', 'FR'), (102, 'Bolt', NULL);
INSERT INTO thing (id, name, amount, weight, note, secret, maker_id) VALUES
  (101, 'anvil', NULL, 1.5, NULL, 'x', 101), (102, NULL, NULL, NULL, NULL, NULL, NULL), (103, 'bell', 7, NULL, 'n', NULL, 102);
INSERT INTO tag (id, thing_id, word, place) VALUES (101, 101, NULL, 1), (102, 101, 'iron', NULL);
