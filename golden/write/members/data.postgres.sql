-- Keys follow those that are there, as on SQLite.
ALTER TABLE maker ALTER COLUMN id RESTART WITH 103;
ALTER TABLE person ALTER COLUMN id RESTART WITH 111;
