-- Whose note it is, the token says: `sub` is the subject that the identity provider has signed.
CREATE TABLE note (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text varchar(500) NOT NULL CHECK (text <> ''),
    owner text NOT NULL DEFAULT current_setting('request.jwt.claims', true)::json ->> 'sub'
);

CREATE ROLE notes_person;
GRANT SELECT, INSERT, UPDATE, DELETE ON note TO notes_person;
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note TO notes_person
    USING (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');

-- Duet connects as this one, which sees no note by itself.
CREATE ROLE notes_server LOGIN;
GRANT notes_person TO notes_server;
