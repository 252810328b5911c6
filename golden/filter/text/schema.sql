-- Text as clients mean it: case, accents, wildcards and their escapes.
CREATE TABLE text (id INTEGER PRIMARY KEY, words VARCHAR(40));
INSERT INTO text VALUES (1, 'Émile'), (2, 'émile'), (3, 'EMILE'), (4, 'Straße'), (5, 'STRASSE'), (6, '100%'), (7, '100 percent'), (8, 'a_b'), (9, 'aXb'),
  (10, 'back\slash'), (11, ''), (12, NULL), (13, 'two
lines'), (14, 'İstanbul'), (15, 'ΣΊΣΥΦΟΣ'), (16, 'σίσυφος'), (17, '🏁 flag'), (18, 'quote''s'), (19, 'ǅ'), (20, ' padded '), (21, 'ÅNGSTRÖM'), (22, 'ångström');
