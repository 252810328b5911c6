INSERT INTO edge (id, n, d, f) VALUES (8, 2, 2, 'NaN'), (9, 3, 3, 9e999), (10, 4, 4, -9e999);
