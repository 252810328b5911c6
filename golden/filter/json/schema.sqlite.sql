CREATE TABLE doc (id integer PRIMARY KEY, name text, j JSON, extras JSON);
CREATE TABLE part (id integer PRIMARY KEY, doc_id integer REFERENCES doc (id), j JSON);
