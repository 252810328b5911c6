CREATE TABLE loose (id INTEGER PRIMARY KEY, n INTEGER, day DATE, price NUMERIC(9,2), note TEXT);
INSERT INTO loose VALUES (1, 'many', 'soon', 1.23456, x'00ff'), (2, 2.5, 20220320, 'dear', 7);
