CREATE TABLE box (id integer NOT NULL PRIMARY KEY, width integer, area integer GENERATED ALWAYS AS (width * width) STORED,
    twice integer GENERATED ALWAYS AS (width + width) STORED);
