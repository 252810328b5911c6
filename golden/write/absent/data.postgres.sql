-- Keys follow those that are there, as on SQLite.
ALTER TABLE tag ALTER COLUMN id RESTART WITH 103;
