-- Unique values that rows of another table repeat: they follow a change, or forbid it.
CREATE TABLE list (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE entry (
  id integer PRIMARY KEY,
  list_id integer NOT NULL REFERENCES list (id),
  badge integer UNIQUE,
  ticket integer UNIQUE,
  color integer UNIQUE,
  label integer UNIQUE,
  seal integer UNIQUE
);
CREATE TABLE follower (
  id integer PRIMARY KEY,
  badge integer REFERENCES entry (badge) ON UPDATE CASCADE,
  ticket integer REFERENCES entry (ticket) ON UPDATE SET NULL,
  color integer DEFAULT 1 REFERENCES entry (color) ON UPDATE SET DEFAULT,
  label integer REFERENCES entry (label),
  seal integer REFERENCES entry (seal) ON UPDATE RESTRICT
);
CREATE TABLE book (
  id integer PRIMARY KEY,
  list_id integer NOT NULL REFERENCES list (id),
  shelf integer NOT NULL REFERENCES list (id),
  place integer NOT NULL,
  UNIQUE (shelf, place)
);
INSERT INTO list VALUES (1, 'one'), (2, 'two');
INSERT INTO entry VALUES (1, 1, 1, 1, 1, 1, 1), (2, 1, 2, 2, 2, 2, 2), (3, 1, 3, 3, 3, 3, 3);
INSERT INTO follower VALUES (1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2), (3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO book VALUES (1, 1, 1, 1), (2, 1, 2, 2);
