CREATE TABLE note (id integer PRIMARY KEY, owner text NOT NULL, words text);
INSERT INTO note VALUES (1, 'us', 'ours'), (2, 'them', 'theirs');
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON note USING (owner = 'us');
CREATE TABLE board (id integer PRIMARY KEY, owner text NOT NULL, words text);
INSERT INTO board VALUES (1, 'us', 'ours'), (2, 'them', 'theirs');
ALTER TABLE board ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON board USING (owner = 'us');
CREATE POLICY seen ON board FOR SELECT USING (true);
CREATE ROLE golden_row_security;
GRANT USAGE ON SCHEMA public TO golden_row_security;
GRANT ALL ON ALL TABLES IN SCHEMA public TO golden_row_security;
-- Whoever connects from here on is this role: the server's own user has no row security.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ROLE golden_row_security', current_database()); END $$;
