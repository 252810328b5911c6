-- Generated members in filters and orders: of the root, below an object and below an array.
CREATE TABLE maker (id INTEGER PRIMARY KEY, name VARCHAR(20), country VARCHAR(2));
CREATE TABLE thing (id INTEGER PRIMARY KEY, maker_id INTEGER REFERENCES maker (id), name VARCHAR(20), price NUMERIC(8,2), amount INTEGER, made DATE, extra jsonb);
CREATE TABLE part (id INTEGER PRIMARY KEY, thing_id INTEGER REFERENCES thing (id), name VARCHAR(20), number INTEGER);
