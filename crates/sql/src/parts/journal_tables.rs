//! The tables of the ingest journal in each store: how they are made, found and named.

/// What differs between the stores.
#[derive(Clone, Copy, Debug)]
pub struct JournalTables {
    /// The name of the table of marks, quoted: for each journal its owner, and what is applied.
    pub marks: &'static str,
    /// Its schema and name as a read by key has them.
    pub marks_name: (&'static str, &'static str),
    /// The name of the table of dead letters, quoted: rows that the database has refused.
    pub dead_letters: &'static str,
    /// The name of the table of heads, quoted: for each journal its folder, its key, and how far it was written.
    pub heads: &'static str,
    /// Its schema and name as a read by key has them.
    pub heads_name: (&'static str, &'static str),
    /// The name of the table of losses, quoted: rows whose loss the operator has accepted.
    pub losses: &'static str,
    /// Makes all of them, unless they exist.
    pub create: &'static str,
    /// A row with a name if they exist, none if one is missing. It takes no right to them.
    pub exists: &'static str,
    /// A row with a name if one of them exists, none if not. It takes no right to them either.
    pub exists_partly: &'static str,
    /// The same as [`JournalTables::exists`] if the user may use them.
    pub usable: &'static str,
}

pub(crate) const POSTGRES: JournalTables = JournalTables {
    marks: "\"duet\".\"journal_marks\"",
    marks_name: ("duet", "journal_marks"),
    dead_letters: "\"duet\".\"journal_dead_letters\"",
    heads: "\"duet\".\"journal_heads\"",
    heads_name: ("duet", "journal_heads"),
    losses: "\"duet\".\"journal_losses\"",
    create: "CREATE SCHEMA IF NOT EXISTS duet;
        CREATE TABLE IF NOT EXISTS duet.journal_marks (
            journal    text   PRIMARY KEY,
            host       text   NOT NULL,
            epoch      bigint NOT NULL,
            applied    bigint NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS duet.journal_dead_letters (
            journal     text   NOT NULL,
            sequence_id bigint NOT NULL,
            resource    text   NOT NULL,
            caller      text   NOT NULL,
            accepted_at bigint NOT NULL,
            rejected_at bigint NOT NULL,
            code        text   NOT NULL,
            reason      text   NOT NULL,
            content     text   NOT NULL,
            entry       bytea  NOT NULL,
            PRIMARY KEY (journal, sequence_id)
        );
        CREATE TABLE IF NOT EXISTS duet.journal_heads (
            journal    text   PRIMARY KEY,
            folder     text   NOT NULL,
            key        bytea  NOT NULL,
            written    bigint NOT NULL,
            is_closed  bigint NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS duet.journal_losses (
            journal     text   NOT NULL,
            first_id    bigint NOT NULL,
            last_id     bigint NOT NULL,
            accepted_at bigint NOT NULL,
            reason      text   NOT NULL,
            PRIMARY KEY (journal, first_id)
        );
        REVOKE ALL ON duet.journal_marks, duet.journal_dead_letters, duet.journal_heads, duet.journal_losses FROM PUBLIC;
        COMMENT ON TABLE duet.journal_marks IS
            'For each ingest journal of Duet the host and epoch of its owner, and the last sequence id that is applied.';
        COMMENT ON TABLE duet.journal_dead_letters IS
            'Rows that were acknowledged from an ingest journal of Duet and that the database has refused; times in ms since 1970.';
        COMMENT ON TABLE duet.journal_heads IS
            'For each ingest journal of Duet its folder, the key of its status addresses, and how far it was written.';
        COMMENT ON TABLE duet.journal_losses IS
            'Rows that were acknowledged from an ingest journal of Duet and whose loss was accepted; times in ms since 1970.'",
    exists: "SELECT n.nspname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname IN \
        ('journal_marks', 'journal_dead_letters', 'journal_heads', 'journal_losses') \
        GROUP BY 1 HAVING count(*) = 4",
    exists_partly: "SELECT c.relname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname IN ('journal_marks', 'journal_dead_letters') LIMIT 1",
    usable: "SELECT n.nspname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname IN \
        ('journal_marks', 'journal_dead_letters', 'journal_heads', 'journal_losses') \
          AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') \
          AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') \
        GROUP BY 1 HAVING count(*) = 4",
};

const JOURNAL_OF_SQLITE: &str = "SELECT name FROM main.sqlite_schema WHERE name = 'duet_journal_losses' AND type = 'table' \
    AND 4 = (SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN \
    ('duet_journal_marks', 'duet_journal_dead_letters', 'duet_journal_heads', 'duet_journal_losses'))";

pub(crate) const SQLITE: JournalTables = JournalTables {
    marks: "\"duet_journal_marks\"",
    marks_name: ("main", "duet_journal_marks"),
    dead_letters: "\"duet_journal_dead_letters\"",
    heads: "\"duet_journal_heads\"",
    heads_name: ("main", "duet_journal_heads"),
    losses: "\"duet_journal_losses\"",
    create: "CREATE TABLE IF NOT EXISTS duet_journal_marks (
            journal TEXT    NOT NULL PRIMARY KEY,
            host    TEXT    NOT NULL,
            epoch   INTEGER NOT NULL,
            applied INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS duet_journal_dead_letters (
            journal     TEXT    NOT NULL,
            sequence_id INTEGER NOT NULL,
            resource    TEXT    NOT NULL,
            caller      TEXT    NOT NULL,
            accepted_at INTEGER NOT NULL,
            rejected_at INTEGER NOT NULL,
            code        TEXT    NOT NULL,
            reason      TEXT    NOT NULL,
            content     TEXT    NOT NULL,
            entry       BLOB    NOT NULL,
            PRIMARY KEY (journal, sequence_id)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS duet_journal_heads (
            journal   TEXT    NOT NULL PRIMARY KEY,
            folder    TEXT    NOT NULL,
            key       BLOB    NOT NULL,
            written   INTEGER NOT NULL,
            is_closed INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS duet_journal_losses (
            journal     TEXT    NOT NULL,
            first_id    INTEGER NOT NULL,
            last_id     INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            reason      TEXT    NOT NULL,
            PRIMARY KEY (journal, first_id)
        ) WITHOUT ROWID",
    exists: JOURNAL_OF_SQLITE,
    exists_partly: "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name IN \
        ('duet_journal_marks', 'duet_journal_dead_letters') LIMIT 1",
    usable: JOURNAL_OF_SQLITE,
};
