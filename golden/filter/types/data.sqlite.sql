UPDATE types SET bytes = X'00010203FF', numbers = '[1, -2, null]', labels = '["a", "b,c", "d\"e", null]' WHERE id = 1;
UPDATE types SET bytes = X'', numbers = '[]', labels = '[]' WHERE id = 2;
UPDATE types SET numbers = '[[1, 2], [3, 4]]', labels = '["NULL", "", " "]' WHERE id = 5;
-- SQLite pads nothing.
UPDATE types SET code = 'x  ' WHERE id = 5;
INSERT INTO types (id, single, double) VALUES (6, 9e999, -9e999);
