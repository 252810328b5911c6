-- Keys and constraints of every kind.
CREATE TABLE country (code TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE City (
  country TEXT COLLATE NOCASE NOT NULL CONSTRAINT in_country REFERENCES Country ON DELETE CASCADE,
  "No" INTEGER NOT NULL,
  name TEXT COLLATE RTRIM,
  PRIMARY KEY ("No", country)
) WITHOUT ROWID;
CREATE TABLE street (
  street_id INTEGER PRIMARY KEY AUTOINCREMENT,
  country TEXT, city INTEGER, zip TEXT, slug TEXT, length REAL CHECK (length >= 0),
  twin INTEGER REFERENCES street,
  metres REAL GENERATED ALWAYS AS (length * 1000) STORED,
  label TEXT AS (zip || slug),
  CONSTRAINT street_slug UNIQUE (country, city, slug),
  FOREIGN KEY (city, country) REFERENCES city ("no", country),
  CONSTRAINT either CHECK ((zip IS NOT NULL) OR (slug IS NOT NULL))
);
CREATE UNIQUE INDEX street_zip ON street (zip);
CREATE UNIQUE INDEX street_partial ON street (slug) WHERE zip IS NULL;
CREATE UNIQUE INDEX street_expression ON street (country, lower(slug), zip);
CREATE INDEX street_order ON street (length DESC, slug);
-- A primary key that no table enforces to be NOT NULL, and one that is no rowid in spite of its type.
CREATE TABLE tag (tag TEXT PRIMARY KEY);
CREATE TABLE descending (id INTEGER PRIMARY KEY DESC);
CREATE TABLE strict_key (a TEXT, b INT, PRIMARY KEY (a, b)) STRICT;
-- The index tells 'a' from 'A', the column does not.
CREATE TABLE mixed (name TEXT COLLATE NOCASE);
CREATE UNIQUE INDEX mixed_name ON mixed (name COLLATE BINARY);
-- Keys that other rows follow.
CREATE TABLE badge (
  badge_id INTEGER PRIMARY KEY,
  a INT UNIQUE, B INT UNIQUE, c INT UNIQUE, d INT UNIQUE, e INT, f INT, UNIQUE (e, f)
);
CREATE TABLE wearer (
  badge_id INT REFERENCES badge ON UPDATE CASCADE,
  a INT REFERENCES Badge (A) ON UPDATE CASCADE, b INT REFERENCES badge (b) ON UPDATE SET NULL,
  c INT REFERENCES badge (c) ON UPDATE RESTRICT ON DELETE CASCADE, d INT REFERENCES badge (d),
  e INT, f INT, FOREIGN KEY (e, f) REFERENCES badge (e, f) ON UPDATE SET DEFAULT
);
