-- Places that are unique: within a list and never NULL, or anywhere and perhaps NULL; and such as a rule keeps full.
CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL REFERENCES list (id),
  place INTEGER NOT NULL,
  code TEXT NOT NULL UNIQUE,
  badge INTEGER UNIQUE,
  UNIQUE (list_id, place)
);
CREATE TABLE seat (
  id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL REFERENCES list (id),
  row_number INTEGER NOT NULL UNIQUE CHECK (row_number BETWEEN 1 AND 9)
);
INSERT INTO list VALUES (1, 'one'), (2, 'two');
INSERT INTO entry VALUES (1, 1, 1, 'a', 10), (2, 1, 2, 'b', 20), (3, 1, 3, 'c', NULL), (4, 2, 1, 'd', 40);
INSERT INTO seat VALUES (1, 1, 1), (2, 1, 2);
