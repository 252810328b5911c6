//! The table of limits in `docs/operations.md`: each with its default, what it protects and what comes beyond it.
//! Written by the test that checks it, from the settings and the codes of errors; no setting of a limit can be left out.

use std::fmt::Write as _;

use duet_model::Code;

use crate::settings::{Group, TABLE};

/// What a client gets beyond a limit.
#[derive(Clone, Copy)]
enum Beyond {
    /// This error.
    Error(Code),
    /// It waits; then this error.
    Waits(Code),
    /// Something else.
    Else(&'static str),
}

use Beyond::{Else, Error, Waits};

/// The limits, in the order of the page: the setting, what it protects, and what comes beyond it.
const LIMITS: &[(&str, &str, Beyond)] = &[
    (
        "memory",
        "the machine: everything that requests and responses hold",
        Error(Code::MemoryLimit),
    ),
    ("memory_unauthenticated", "other clients' part of `memory`", Error(Code::MemoryLimit)),
    (
        "max_connections",
        "descriptors and memory",
        Else("an idle connection is closed; else 503, DUET-6002"),
    ),
    (
        "max_connections_per_address",
        "other addresses' part of `max_connections`",
        Error(Code::Overloaded),
    ),
    (
        "tls_handshakes",
        "`max_connections`, from clients that begin a handshake and stop",
        Else("the oldest handshake ends"),
    ),
    (
        "header_timeout",
        "connections, from clients that send or take nothing",
        Else("closed; of a body 408, DUET-1012"),
    ),
    ("http2_streams", "the memory of a connection", Else("clients wait")),
    (
        "http2_streams_unauthenticated",
        "the memory of a connection without a token",
        Else("requests wait"),
    ),
    ("http2_resets", "the processor, from rapid resets", Else("the connection is closed")),
    ("uri_bytes", "the memory of a request", Error(Code::UriTooLong)),
    ("header_bytes", "the memory of a request", Error(Code::HeadersTooLarge)),
    ("body_bytes", "`memory`", Error(Code::BodyTooLarge)),
    ("body_depth", "the stack of a thread", Error(Code::BodyDepth)),
    ("body_nodes", "`memory` and the processor", Error(Code::BodyNodes)),
    ("parse_threads", "the workers' event loops", Waits(Code::Overloaded)),
    ("bad_token_burst", "tokens, from guessing", Error(Code::TooManyRequests)),
    ("bad_token_rate", "tokens, from guessing", Error(Code::TooManyRequests)),
    ("token_burst", "secrets, from guessing", Error(Code::TooManyRequests)),
    ("token_rate", "secrets, from guessing", Error(Code::TooManyRequests)),
    ("jwt_bytes", "the processor, before a signature is checked", Error(Code::Unauthorized)),
    ("statement_timeout", "the database", Error(Code::Timeout)),
    ("schema_timeout", "starts and reloads, from a database that hangs", Error(Code::Timeout)),
    ("queue_timeout", "clients, from waiting", Error(Code::Overloaded)),
    ("queue_length", "`memory`, from requests that wait", Error(Code::Overloaded)),
    ("lock_timeout", "other writes, from one that waits for a lock", Error(Code::DatabaseLocked)),
    (
        "db_connections",
        "the database; [shared](#shares-of-clients) between clients",
        Waits(Code::Overloaded),
    ),
    ("interactive_requests", "the queues of the database", Error(Code::Overloaded)),
    ("batch_requests", "interactive requests, from batch work", Waits(Code::Overloaded)),
    ("batch_queue", "`memory`, from batch work that waits", Error(Code::Overloaded)),
    ("batch", "other requests, from long statements", Else("a further statement")),
    ("open_tenants", "descriptors and memory", Else("a tenant that is not used is closed")),
    ("tenant_requests", "other tenants", Error(Code::TenantBusy)),
    ("tenant_rate", "other tenants", Error(Code::TenantBusy)),
    (
        "page_size",
        "`memory` and the database, where a request does not say",
        Else("a further page"),
    ),
    ("max_page_size", "`memory` and the database", Else("a further page")),
    ("exact_total", "the database, from counting", Else("an estimate")),
    ("answer_bytes", "`memory`", Error(Code::AnswerTooLarge)),
    ("filter_bytes", "the processor", Error(Code::FilterLimit)),
    ("filter_depth", "the stack of a thread", Error(Code::FilterLimit)),
    ("filter_nodes", "the database", Error(Code::FilterLimit)),
    ("filter_order", "the database", Error(Code::FilterLimit)),
    ("filter_list", "the database", Error(Code::FilterLimit)),
    ("filter_path", "the database", Error(Code::FilterLimit)),
    ("filter_pattern", "the database", Error(Code::FilterLimit)),
    ("filter_regex", "the database", Error(Code::FilterLimit)),
    ("live_subscriptions", "descriptors and memory", Error(Code::LiveLimit)),
    ("live_client_subscriptions", "other clients", Error(Code::LiveClientLimit)),
    ("live_documents", "memory", Error(Code::LiveTooLarge)),
    ("live_unindexed", "the database", Error(Code::LiveLimit)),
    ("live_log_bytes", "memory", Else("a slow subscription is ended")),
    ("live_memory", "memory", Else("a slow subscription is ended")),
    ("expand_depth", "the database", Error(Code::ExpandLimit)),
    ("expand_relations", "the database", Error(Code::ExpandLimit)),
    ("expand_rows", "`memory`", Error(Code::ExpandRows)),
    (
        "streams",
        "the database; [shared](#shares-of-clients) between clients",
        Waits(Code::Overloaded),
    ),
    ("stream_timeout", "`streams`, from clients that take them slowly", Error(Code::Timeout)),
    ("stream_rows", "the database", Else("the stream is aborted")),
    ("max_changed", "other writes", Error(Code::TooManyDocuments)),
    ("max_operations", "other writes", Error(Code::TooManyDocuments)),
    ("idempotency_key_bytes", "the table of keys", Error(Code::BadRequest)),
    ("idempotency_answer_bytes", "the table of keys", Error(Code::IdempotencyAnswer)),
    (
        "loads",
        "the database; [shared](#shares-of-clients) between clients",
        Waits(Code::Overloaded),
    ),
    ("load_bytes", "the database", Error(Code::BodyTooLarge)),
    ("load_row_bytes", "`memory`", Error(Code::LoadRecordTooLarge)),
    ("load_memory", "`memory`", Else("the rest goes to a file")),
    ("load_timeout", "`loads`, from clients that send slowly", Error(Code::BodyTimeout)),
    ("journal_bytes", "the disk", Error(Code::JournalFull)),
    ("journal_tries", "other rows of the journal", Else("a dead letter")),
    ("webhook_events", "the disk, from a webhook that takes nothing", Else("it is disabled")),
    ("webhook_deliveries", "descriptors, and endpoints of webhooks", Else("events wait")),
    ("webhook_body_bytes", "endpoints of webhooks", Else("the document is left out")),
    ("webhook_timeout", "`webhook_deliveries`, from endpoints that hang", Else("a failed attempt")),
    ("sqlite_wal_bytes", "the disk", Else("writes wait for readers")),
    ("sqlite_disk_reserve", "the disk", Else("`/health/ready` is 503")),
];

/// Settings of the same groups that are no limits.
const OTHERS: &[&str] = &[
    "projections",
    "rowstore_max_age",
    "rowstore_capture",
    "rowstore_max_lag",
    "serve_stale",
    "live_retention",
    "live_heartbeat",
    "compat",
    "require_etag",
    "ords_statuses",
    "idempotency_ttl",
    "journal",
    "webhook_retention",
    "view_event_retention",
    "webhook_poll",
    "sqlite_synchronous",
    "compress_above",
    "http2",
    "drain_delay",
    "drain_timeout",
];

const BEGIN: &str = "<!-- limits: written from crates/duet/src/settings/docs/limits.rs; `DUET_ACCEPT=1` rewrites it -->\n";
const END: &str = "<!-- end of limits -->\n";

fn table() -> String {
    let mut table =
        "| limit | default | what it protects | beyond it |\n|---|---|---|---|\n".to_owned();
    for (name, protects, beyond) in LIMITS {
        let setting = TABLE.iter().find(|setting| setting.name == *name);
        let default = setting.map_or("?", |setting| setting.default);
        let error = |code: Code| format!("{}, {}", code.status(), code.as_str());
        let beyond = match *beyond {
            Error(code) => error(code),
            Waits(code) => format!("waits, then {}", error(code)),
            Else(text) => text.to_owned(),
        };
        // Writing to a text cannot fail.
        let _ = writeln!(table, "| `{name}` | {default} | {protects} | {beyond} |");
    }
    table
}

#[test]
fn the_table_of_limits_is_that_of_the_manual() {
    let path = duet_testkit::golden::workspace().join("docs/operations.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        return;
    }
    assert!(
        found == table(),
        "the table of limits in docs/operations.md: DUET_ACCEPT=1 rewrites it"
    );
}

#[test]
fn every_setting_of_a_limit_has_a_row() {
    let is_limiting = |group| matches!(group, Group::Reading | Group::Writing | Group::Requests);
    for setting in TABLE {
        let rows = LIMITS.iter().filter(|(name, ..)| *name == setting.name).count();
        let is_other = OTHERS.contains(&setting.name);
        assert!(rows + usize::from(is_other) <= 1, "{} is there twice", setting.name);
        let has_row = rows == 1 || is_other || !is_limiting(setting.group);
        assert!(has_row, "{} has no row: is it a limit, and what does it protect?", setting.name);
    }
    let names = LIMITS.iter().map(|(name, ..)| *name).chain(OTHERS.iter().copied());
    for name in names {
        assert!(TABLE.iter().any(|setting| setting.name == name), "{name} is no setting");
    }
}
