CREATE TABLE kit (id integer PRIMARY KEY, tags text[], sizes integer[], data jsonb, during int4range, days daterange,
    note text, words tsvector, plain json);
INSERT INTO kit VALUES
    (1, '{a,b}', '{1,2}', '{"a": 1, "b": [1, 2]}', '[1,5)', '[2024-01-01,2024-02-01)', 'light and fast', to_tsvector('light and fast'), '{"a": 1}'),
    (2, '{"c d"}', '{3}', '{"a": 2}', '[9,20)', '[2024-03-01,)', 'heavy and slow', to_tsvector('heavy and slow'), NULL),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE part (id integer PRIMARY KEY, kit_id integer REFERENCES kit (id), tags text[]);
INSERT INTO part VALUES (1, 1, '{x}'), (2, 1, '{y}');
CREATE DOMAIN lexemes AS tsvector;
CREATE DOMAIN lexemes_again AS lexemes;
CREATE TYPE size AS (w integer, h integer);
CREATE TABLE box (id integer PRIMARY KEY, own lexemes, deep lexemes_again, size size);
INSERT INTO box VALUES (1, to_tsvector('light and fast'), to_tsvector('simple', 'light and fast'), '(1,2)'), (2, to_tsvector('heavy'), NULL, '(3,4)');
