-- Three levels with keys that the database makes.
CREATE TABLE shelf (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
CREATE TABLE box (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shelf_id INTEGER NOT NULL REFERENCES shelf (id),
  label TEXT NOT NULL,
  UNIQUE (shelf_id, label)
);
CREATE TABLE thing (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  box_id INTEGER REFERENCES box (id),
  name TEXT,
  amount INTEGER NOT NULL DEFAULT 1
);
