-- Keys and constraints of every kind.
CREATE SCHEMA "Atlas";
CREATE COLLATION loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE "Atlas".country (code text COLLATE loosely PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE "City" (
  country text COLLATE loosely NOT NULL
    CONSTRAINT in_country REFERENCES "Atlas".country ON DELETE CASCADE,
  "No" integer NOT NULL,
  name text,
  PRIMARY KEY ("No", country)
);
CREATE TABLE street (
  street_id serial PRIMARY KEY,
  country text, city integer, zip text, slug text, length float8 CHECK (length >= 0),
  twin integer REFERENCES street,
  dropped int,
  metres float8 GENERATED ALWAYS AS (length * 1000) STORED,
  CONSTRAINT street_slug UNIQUE (country, city, slug),
  FOREIGN KEY (city, country) REFERENCES "City" ("No", country),
  CONSTRAINT either CHECK ((zip IS NOT NULL) OR (slug IS NOT NULL)),
  EXCLUDE USING btree (zip WITH =)
);
ALTER TABLE street DROP COLUMN dropped;
CREATE UNIQUE INDEX street_zip ON street (zip) INCLUDE (length);
CREATE UNIQUE INDEX street_partial ON street (slug) WHERE zip IS NULL;
CREATE UNIQUE INDEX street_expression ON street (country, lower(slug), zip);
CREATE INDEX street_order ON street (length DESC, slug);
CREATE INDEX street_hash ON street USING hash (slug);
CREATE TABLE mixed (name text COLLATE loosely);
CREATE UNIQUE INDEX mixed_name ON mixed (name COLLATE "C");
-- Partitions are left out, also as the targets of foreign keys.
CREATE TABLE visit (day date NOT NULL, n int NOT NULL, PRIMARY KEY (day, n)) PARTITION BY RANGE (day);
CREATE TABLE visit_2025 PARTITION OF visit FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE visit_2026 PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE visitor (day date, n int, FOREIGN KEY (day, n) REFERENCES visit);
-- Heirs are tables of their own.
CREATE TABLE long_street (lanes int) INHERITS (street);
-- Keys that are looked at late, take NULL for a value, or are followed by other rows.
CREATE TABLE badge (
  badge_id int PRIMARY KEY DEFERRABLE,
  color int CONSTRAINT color_late UNIQUE DEFERRABLE INITIALLY DEFERRED,
  label int CONSTRAINT one_without UNIQUE NULLS NOT DISTINCT,
  a int UNIQUE, b int UNIQUE, c int UNIQUE, d int UNIQUE, e int, f int, UNIQUE (e, f)
);
CREATE TABLE wearer (
  a int REFERENCES badge (a) ON UPDATE CASCADE, b int REFERENCES badge (b) ON UPDATE SET NULL,
  c int REFERENCES badge (c) ON UPDATE RESTRICT ON DELETE CASCADE, d int REFERENCES badge (d),
  e int, f int, FOREIGN KEY (e, f) REFERENCES badge (e, f) ON UPDATE SET DEFAULT
);
