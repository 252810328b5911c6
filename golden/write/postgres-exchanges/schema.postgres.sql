-- Unique keys that are looked at only at the end of the transaction, and such as take NULL for a value.
CREATE TABLE list (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE entry (
  id integer PRIMARY KEY,
  list_id integer NOT NULL REFERENCES list (id),
  place integer NOT NULL CHECK (place < 10) UNIQUE DEFERRABLE INITIALLY DEFERRED,
  code varchar(3) NOT NULL UNIQUE DEFERRABLE INITIALLY IMMEDIATE,
  badge integer UNIQUE NULLS NOT DISTINCT
);
INSERT INTO list VALUES (1, 'one');
INSERT INTO entry VALUES (1, 1, 1, 'a', 10), (2, 1, 2, 'b', 20), (3, 1, 3, 'c', NULL);
