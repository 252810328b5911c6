//! The table of idempotency keys in each store: how it is made, found and named.

/// What differs between the stores.
#[derive(Clone, Copy, Debug)]
pub struct KeyTable {
    /// The name of the table, quoted.
    pub name: &'static str,
    /// Makes it, unless it exists.
    pub create: &'static str,
    /// A row with its name if it exists; none, or NULL, if not.
    pub exists: &'static str,
    /// The same if the user may use it.
    pub usable: &'static str,
}

pub(crate) const POSTGRES: KeyTable = KeyTable {
    name: "\"duet\".\"idempotency\"",
    create: "CREATE SCHEMA IF NOT EXISTS duet;
        CREATE TABLE IF NOT EXISTS duet.idempotency (
            caller          text   NOT NULL,
            resource        text   NOT NULL,
            idempotency_key text   NOT NULL,
            fingerprint     text   NOT NULL,
            expires_at      bigint NOT NULL,
            status          bigint,
            headers         text,
            body            bytea,
            PRIMARY KEY (caller, resource, idempotency_key)
        );
        CREATE INDEX IF NOT EXISTS idempotency_expires_at ON duet.idempotency (expires_at);
        REVOKE ALL ON duet.idempotency FROM PUBLIC;
        COMMENT ON TABLE duet.idempotency IS
            'Answers of Duet to requests with an Idempotency-Key, until expires_at (ms since 1970).'",
    exists: "SELECT c.relname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname = 'idempotency'",
    usable: "SELECT c.relname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname = 'idempotency' \
          AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') \
          AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')",
};

const KEYS_OF_SQLITE: &str =
    "SELECT name FROM main.sqlite_schema WHERE name = 'duet_idempotency' AND type = 'table'";

pub(crate) const SQLITE: KeyTable = KeyTable {
    name: "\"duet_idempotency\"",
    create: "CREATE TABLE IF NOT EXISTS duet_idempotency (
            caller          TEXT    NOT NULL,
            resource        TEXT    NOT NULL,
            idempotency_key TEXT    NOT NULL,
            fingerprint     TEXT    NOT NULL,
            expires_at      INTEGER NOT NULL,
            status          INTEGER,
            headers         TEXT,
            body            BLOB,
            PRIMARY KEY (caller, resource, idempotency_key)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS duet_idempotency_expires_at ON duet_idempotency (expires_at)",
    exists: KEYS_OF_SQLITE,
    usable: KEYS_OF_SQLITE,
};
