CREATE TABLE doc (id integer PRIMARY KEY, name text, j jsonb, extras json);
CREATE TABLE part (id integer PRIMARY KEY, doc_id integer REFERENCES doc (id), j jsonb);
