-- What must not bring introspection down.
CREATE TABLE "odd "" name" ("select" INT, "a b" TEXT, [c] INT CHECK ([c] <> 0), "é" TEXT);
CREATE VIEW broken AS SELECT gone FROM nowhere;
CREATE TABLE orphan (id INTEGER PRIMARY KEY, lost INT REFERENCES nowhere (id), keyless INT REFERENCES bare);
CREATE TABLE bare (a INT);
CREATE VIRTUAL TABLE found USING fts5 (title, body);
CREATE VIEW over_view AS SELECT "a b" AS ab FROM "odd "" name";
CREATE TABLE counted AS SELECT 1 AS a UNION ALL SELECT 2;
CREATE INDEX counted_a ON counted (a);
ANALYZE;
CREATE TEMP TABLE gone (a);
