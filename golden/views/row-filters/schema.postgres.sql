-- Rows left out at every level: literals of every type, next to the columns they are compared with.
CREATE TYPE kind AS ENUM ('big', 'mid', 'tiny');
CREATE TABLE shop (id INTEGER PRIMARY KEY, name VARCHAR(10), open BOOLEAN, since DATE, changed TIMESTAMP, moment TIMESTAMP WITH TIME ZONE, opens TIME, uid UUID, kind kind, rate NUMERIC(4,2), score DOUBLE PRECISION, code CHAR(2), span INTERVAL);
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(10), price NUMERIC(6,2));
CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (id), item_id INTEGER REFERENCES item (id), amount INTEGER, at TIMESTAMP);
