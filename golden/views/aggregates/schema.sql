-- Orders with lines, whose members count, add up and look up.
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, note JSON);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (customer_id), made TIMESTAMP, state VARCHAR(10), ship DOUBLE PRECISION);
CREATE TABLE line (
  line_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (order_id), product VARCHAR(20), price NUMERIC(8,2), quantity INTEGER);
INSERT INTO customer VALUES (1, 'Ann', '{"rank": 3, "code": "a7", "home": {"city": "Bern"}}'), (2, 'bob', '{"rank": "4"}'), (3, 'Cy', NULL);
INSERT INTO orders VALUES
  (11, 1, '2022-03-20 10:00:00', 'paid', 0.1), (12, 1, '2022-03-20 10:00:00.5', 'open', 0.2), (13, 2, NULL, 'paid', 1e3), (14, NULL, '1999-12-31 23:59:59', NULL, NULL);
INSERT INTO line VALUES
  (101, 11, 'nut', 0.10, 3), (102, 11, 'bolt', 0.20, 1), (103, 11, 'Nut', NULL, 2), (104, 12, 'saw', 19.99, 1), (105, 13, 'é', 0.01, NULL);
