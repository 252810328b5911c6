INSERT INTO parent (id, workflow) VALUES (1, 'Open'), (2, 'Pending');
INSERT INTO rec (id, parent_id, title, status, code, price, rush, city, ordered, uid, doc) VALUES
  (1, 1, 'The Art of Kayak Fishing', 'Open', 'AB-100', 10, TRUE, 'Søvang', '2019-06-01T10:00:00',
   '11111111-1111-4111-8111-111111111111', '{"tags":["urgent","gift"],"level":10,"kind":"Book"}'),
  (2, 1, 'Fishing for Kayak, an art', 'open', 'AB-101', 9.5, FALSE, 'Sovang', '2019-06-15T10:00:00',
   '22222222-1111-4111-8111-111111111111', '{"tags":[],"level":"10","kind":"book"}'),
  (3, 2, 'foo bar baz', 'Open order', 'ab-100', 100, FALSE, NULL, '2020-01-01T00:00:00',
   '33333333-1111-4111-8111-111111111111', '{"tags":["urgent-2019"],"level":9,"kind":null}'),
  (4, NULL, 'bar baz 123 456', 'Pending', '50%_off', NULL, NULL, NULL, NULL, NULL, '{"tags":["gift"],"level":true}'),
  (5, NULL, 'Café Straße', 'Closed', 'a*b?c', 4.0, NULL, NULL, NULL, NULL, NULL),
  (6, NULL, '', 'Closed', 'back\slash', 4, NULL, NULL, NULL, NULL, '{}'),
  (7, NULL, '  ', NULL, 'say "hi"', NULL, NULL, NULL, NULL, NULL, '[]'),
  (8, NULL, NULL, NULL, 'it''s', NULL, NULL, NULL, NULL, NULL, '"text"');
INSERT INTO line (id, rec_id, item, qty) VALUES (1, 1, 'Pen', 5), (2, 1, 'Ink', 1), (3, 2, 'pen', 1), (4, 2, 'Paper', 5), (5, 3, NULL, 5);
