//! The tables of webhooks in each store: how they are made, found and named.

/// What differs between the stores.
#[derive(Clone, Copy, Debug)]
pub struct WebhookTables {
    /// The name of the outbox, quoted: an event for each endpoint and change.
    pub outbox: &'static str,
    /// The name of the table of endpoints, quoted.
    pub endpoints: &'static str,
    /// Makes both, unless they exist.
    pub create: &'static str,
    /// A row with a name if both exist, none if one is missing. It takes no right to them.
    pub exists: &'static str,
    /// The same if the user may use them.
    pub usable: &'static str,
    /// The names of the triggers on tables of the database that fill the outbox and are enabled.
    pub triggers: &'static str,
    /// Lets the outbox have events of views, unless it does. It exists.
    pub create_views: &'static str,
    /// A row with a name if it has them and the user may add some.
    pub views_usable: &'static str,
    /// What orders events of views by their commits beside `sequence`; `None` where that is their order.
    pub transaction: Option<TransactionOrder>,
}

/// How transactions are ordered that run at the same time.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOrder {
    /// The column with the number of the transaction that has recorded an event.
    pub column: &'static str,
    /// The number of the current transaction.
    pub current: &'static str,
    /// Every transaction with a smaller number has ended.
    pub settled: &'static str,
}

pub(crate) const POSTGRES: WebhookTables = WebhookTables {
    outbox: "\"duet\".\"webhook_outbox\"",
    endpoints: "\"duet\".\"webhook_endpoints\"",
    create: "CREATE SCHEMA IF NOT EXISTS duet;
        CREATE TABLE IF NOT EXISTS duet.webhook_endpoints (
            name         text   PRIMARY KEY,
            application  text   NOT NULL,
            disabled_at  bigint,
            reason       text,
            paused_until bigint NOT NULL DEFAULT 0,
            accepted_at  bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS duet.webhook_outbox (
            sequence    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id          text   NOT NULL,
            endpoint    text   NOT NULL,
            type        text   NOT NULL,
            key         text   NOT NULL,
            created_at  bigint NOT NULL,
            state       bigint NOT NULL DEFAULT 0,
            attempts    bigint NOT NULL DEFAULT 0,
            next_at     bigint NOT NULL DEFAULT 0,
            begun_at    bigint,
            done_at     bigint,
            last_status bigint,
            last_error  text,
            payload     text
        ) WITH (fillfactor = 80);
        CREATE INDEX IF NOT EXISTS webhook_outbox_due
            ON duet.webhook_outbox (endpoint, next_at, sequence) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS webhook_outbox_order
            ON duet.webhook_outbox (endpoint, key, sequence) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS webhook_outbox_done
            ON duet.webhook_outbox (endpoint, state, done_at) WHERE state <> 0;
        REVOKE ALL ON duet.webhook_outbox, duet.webhook_endpoints FROM PUBLIC;
        COMMENT ON TABLE duet.webhook_outbox IS
            'Events for the webhooks of Duet: state 0 waits, 1 was delivered, 2 is a dead letter; times in ms since 1970.'",
    exists: "SELECT min(c.relname::text) FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname IN ('webhook_outbox', 'webhook_endpoints') \
        HAVING count(*) = 2",
    usable: "SELECT min(c.relname::text) FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'duet' AND c.relname IN ('webhook_outbox', 'webhook_endpoints') \
          AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') \
          AND has_table_privilege(c.oid, 'UPDATE') \
          AND (c.relname <> 'webhook_outbox' OR has_table_privilege(c.oid, 'DELETE')) \
        HAVING count(*) = 2",
    triggers: "SELECT t.tgname::text FROM pg_catalog.pg_trigger t \
        WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgname LIKE 'duet\\_webhook\\_%'",
    create_views: "ALTER TABLE duet.webhook_outbox ADD COLUMN IF NOT EXISTS transaction_id bigint;
        CREATE INDEX IF NOT EXISTS webhook_outbox_views
            ON duet.webhook_outbox (endpoint, transaction_id, sequence)
            WHERE transaction_id IS NOT NULL;
",
    views_usable: "SELECT a.attname::text FROM pg_catalog.pg_attribute a \
        WHERE a.attrelid = to_regclass('duet.webhook_outbox') AND a.attname = 'transaction_id' \
          AND NOT a.attisdropped AND has_table_privilege(a.attrelid, 'INSERT')",
    transaction: Some(TransactionOrder {
        column: "transaction_id",
        current: "pg_catalog.pg_current_xact_id()::text::bigint",
        settled: "pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint",
    }),
};

const TABLES_OF_SQLITE: &str = "SELECT min(name) FROM main.sqlite_schema \
    WHERE type = 'table' AND name IN ('duet_webhook_outbox', 'duet_webhook_endpoints') \
    HAVING count(*) = 2";

pub(crate) const SQLITE: WebhookTables = WebhookTables {
    outbox: "\"duet_webhook_outbox\"",
    endpoints: "\"duet_webhook_endpoints\"",
    // AUTOINCREMENT: a number is never given again, so the order of events is that of their numbers.
    create: "CREATE TABLE IF NOT EXISTS duet_webhook_endpoints (
            name         TEXT    NOT NULL PRIMARY KEY,
            application  TEXT    NOT NULL,
            disabled_at  INTEGER,
            reason       TEXT,
            paused_until INTEGER NOT NULL DEFAULT 0,
            accepted_at  INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS duet_webhook_outbox (
            sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
            id          TEXT    NOT NULL,
            endpoint    TEXT    NOT NULL,
            type        TEXT    NOT NULL,
            key         TEXT    NOT NULL,
            created_at  INTEGER NOT NULL,
            state       INTEGER NOT NULL DEFAULT 0,
            attempts    INTEGER NOT NULL DEFAULT 0,
            next_at     INTEGER NOT NULL DEFAULT 0,
            begun_at    INTEGER,
            done_at     INTEGER,
            last_status INTEGER,
            last_error  TEXT,
            payload     TEXT
        );
        CREATE INDEX IF NOT EXISTS duet_webhook_outbox_due
            ON duet_webhook_outbox (endpoint, next_at, sequence) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS duet_webhook_outbox_order
            ON duet_webhook_outbox (endpoint, key, sequence) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS duet_webhook_outbox_done
            ON duet_webhook_outbox (endpoint, state, done_at) WHERE state <> 0",
    exists: TABLES_OF_SQLITE,
    usable: TABLES_OF_SQLITE,
    triggers: "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND name LIKE 'duet\\_webhook\\_%' ESCAPE '\\'",
    create_views: "CREATE INDEX IF NOT EXISTS duet_webhook_outbox_views
            ON duet_webhook_outbox (endpoint, sequence) WHERE state = 1;
",
    views_usable: "SELECT name FROM main.sqlite_schema \
        WHERE type = 'index' AND name = 'duet_webhook_outbox_views'",
    transaction: None,
};
