-- Orders with lines that are shown by a key of two columns, and JSON with arrays in it.
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, note JSON);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (customer_id), state VARCHAR(10));
CREATE TABLE product (product_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, more JSON);
CREATE TABLE line (
  order_id INTEGER NOT NULL REFERENCES orders (order_id), number INTEGER, product_id INTEGER REFERENCES product (product_id), price NUMERIC(8,2), made TIMESTAMP,
  PRIMARY KEY (order_id, number));
INSERT INTO customer VALUES
  (1, 'Ann', '{"items": [{"price": 3, "tags": ["a", "b"]}, {"price": 4.5, "tags": []}], "home": {"city": "Bern"}, "0": "zero", "sizes": [[1, 2], [3]]}'),
  (2, 'bob', '{"items": {"price": "7", "tags": "x"}, "home": [{"city": "Rome"}, {"city": "Oslo"}], "a\"b\\": [true]}'),
  (3, 'Cy', '[{"items": [{"price": null}]}, {"items": []}]'),
  (4, 'Di', NULL);
INSERT INTO orders VALUES (11, 1, 'paid'), (12, 1, 'open'), (13, 1, 'paid'), (21, 2, 'paid'), (31, 3, 'open');
INSERT INTO product VALUES (1, 'nut', '{"codes": ["n1", "n2"]}'), (2, 'bolt', '{"codes": []}'), (3, 'saw', NULL);
INSERT INTO line VALUES
  (11, 3, 1, 0.10, '2022-03-20 10:00:00'), (11, 1, NULL, 0.20, NULL), (11, 2, 2, NULL, '2022-03-20 10:00:00.5'),
  (12, 9, 3, 19.99, '1999-12-31 23:59:59'), (12, 4, 1, 1.50, '2000-01-01 00:00:00'),
  (21, 1, 2, 2.00, NULL), (21, 2, 3, 4.00, NULL), (21, 3, 1, 8.00, NULL), (21, 4, 2, 16.00, NULL), (21, 5, 2, 32.00, NULL);
