-- Unique values that rows of another table repeat: they follow a change, or forbid it.
CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL REFERENCES list (id),
  badge INTEGER UNIQUE,
  ticket INTEGER UNIQUE,
  color INTEGER UNIQUE,
  label INTEGER UNIQUE,
  seal INTEGER UNIQUE
);
CREATE TABLE follower (
  id INTEGER PRIMARY KEY,
  badge INTEGER REFERENCES entry (badge) ON UPDATE CASCADE,
  ticket INTEGER REFERENCES entry (ticket) ON UPDATE SET NULL,
  color INTEGER DEFAULT 1 REFERENCES entry (color) ON UPDATE SET DEFAULT,
  label INTEGER REFERENCES entry (label),
  seal INTEGER REFERENCES entry (seal) ON UPDATE RESTRICT
);
CREATE TABLE book (
  id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL REFERENCES list (id),
  shelf INTEGER NOT NULL REFERENCES list (id),
  place INTEGER NOT NULL,
  UNIQUE (shelf, place)
);
INSERT INTO list VALUES (1, 'one'), (2, 'two');
INSERT INTO entry VALUES (1, 1, 1, 1, 1, 1, 1), (2, 1, 2, 2, 2, 2, 2), (3, 1, 3, 3, 3, 3, 3);
INSERT INTO follower VALUES (1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2), (3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO book VALUES (1, 1, 1, 1), (2, 1, 2, 2);
