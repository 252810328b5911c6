-- The numbers that orders and lines get: a row for all orders, and a row for the lines of each order that was asked for.
CREATE TABLE IF NOT EXISTS po_number (id integer PRIMARY KEY CHECK (id = 1), last_number bigint NOT NULL);
INSERT INTO po_number VALUES (1, 9999) ON CONFLICT DO NOTHING;
