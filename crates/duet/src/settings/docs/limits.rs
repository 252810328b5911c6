//! The table of limits in `docs/operations.md`: what comes beyond each; `docs/settings.md` has what they are.
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

/// The limits, in the order of the page: the setting, and what comes beyond it.
const LIMITS: &[(&str, Beyond)] = &[
    ("memory", Error(Code::MemoryLimit)),
    ("memory_unauthenticated", Error(Code::MemoryLimit)),
    ("max_connections", Else("an idle connection is closed; else 503, DUET-6002")),
    ("max_connections_per_address", Error(Code::Overloaded)),
    ("tls_handshakes", Else("the oldest handshake ends")),
    ("header_timeout", Else("the connection is closed; of a body 408, DUET-1012")),
    ("http2_streams", Else("the request waits")),
    ("http2_streams_unauthenticated", Else("the request waits")),
    ("http2_resets", Else("the connection is closed")),
    ("uri_bytes", Error(Code::UriTooLong)),
    ("header_bytes", Error(Code::HeadersTooLarge)),
    ("body_bytes", Error(Code::BodyTooLarge)),
    ("body_depth", Error(Code::BodyDepth)),
    ("body_nodes", Error(Code::BodyNodes)),
    ("parse_threads", Waits(Code::Overloaded)),
    ("bad_token_burst", Error(Code::TooManyRequests)),
    ("bad_token_rate", Error(Code::TooManyRequests)),
    ("token_burst", Error(Code::TooManyRequests)),
    ("token_rate", Error(Code::TooManyRequests)),
    ("jwt_bytes", Error(Code::Unauthorized)),
    ("statement_timeout", Error(Code::Timeout)),
    ("schema_timeout", Error(Code::Timeout)),
    ("queue_timeout", Error(Code::Overloaded)),
    ("queue_length", Error(Code::Overloaded)),
    ("lock_timeout", Error(Code::DatabaseLocked)),
    ("db_connections", Waits(Code::Overloaded)),
    ("interactive_requests", Error(Code::Overloaded)),
    ("batch_requests", Waits(Code::Overloaded)),
    ("batch_queue", Error(Code::Overloaded)),
    ("batch", Else("the rest is in a further statement")),
    ("open_tenants", Else("a tenant that is not used is closed")),
    ("tenant_requests", Error(Code::TenantBusy)),
    ("tenant_rate", Error(Code::TenantBusy)),
    ("page_size", Else("the rest is on a further page")),
    ("max_page_size", Else("the rest is on a further page")),
    ("exact_total", Else("an estimate")),
    ("answer_bytes", Error(Code::AnswerTooLarge)),
    ("filter_bytes", Error(Code::FilterLimit)),
    ("filter_depth", Error(Code::FilterLimit)),
    ("filter_nodes", Error(Code::FilterLimit)),
    ("filter_order", Error(Code::FilterLimit)),
    ("filter_list", Error(Code::FilterLimit)),
    ("filter_path", Error(Code::FilterLimit)),
    ("filter_pattern", Error(Code::FilterLimit)),
    ("filter_regex", Error(Code::FilterLimit)),
    ("live_subscriptions", Error(Code::LiveLimit)),
    ("live_client_subscriptions", Error(Code::LiveClientLimit)),
    ("live_documents", Error(Code::LiveTooLarge)),
    ("live_unindexed", Error(Code::LiveLimit)),
    ("live_log_bytes", Else("a slow subscription is ended")),
    ("live_memory", Else("a slow subscription is ended")),
    ("expand_depth", Error(Code::ExpandLimit)),
    ("expand_relations", Error(Code::ExpandLimit)),
    ("expand_rows", Error(Code::ExpandRows)),
    ("streams", Waits(Code::Overloaded)),
    ("stream_timeout", Error(Code::Timeout)),
    ("stream_rows", Else("the stream is aborted")),
    ("max_changed", Error(Code::TooManyDocuments)),
    ("max_operations", Error(Code::TooManyDocuments)),
    ("idempotency_key_bytes", Error(Code::BadRequest)),
    ("idempotency_answer_bytes", Error(Code::IdempotencyAnswer)),
    ("loads", Waits(Code::Overloaded)),
    ("load_bytes", Error(Code::BodyTooLarge)),
    ("load_row_bytes", Error(Code::LoadRecordTooLarge)),
    ("load_memory", Else("the rest goes to a file")),
    ("load_timeout", Error(Code::BodyTimeout)),
    ("journal_bytes", Error(Code::JournalFull)),
    ("journal_tries", Else("a row becomes a dead letter")),
    ("webhook_events", Else("the webhook is disabled")),
    ("webhook_deliveries", Else("events wait")),
    ("webhook_body_bytes", Else("the document is left out")),
    ("webhook_timeout", Else("the attempt has failed")),
    ("sqlite_wal_bytes", Else("writes wait for readers")),
    ("sqlite_disk_reserve", Else("`/health/ready` is 503")),
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
    let error = |code: Code| format!("{}, {}", code.status(), code.as_str());
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for (name, beyond) in LIMITS {
        let beyond = match *beyond {
            Error(code) => error(code),
            Waits(code) => format!("it waits, then {}", error(code)),
            Else(text) => text.to_owned(),
        };
        let name = format!("`{name}`");
        match rows.iter_mut().find(|(found, _)| *found == beyond) {
            Some((_, names)) => names.push(name),
            None => rows.push((beyond, vec![name])),
        }
    }
    let mut table = "| beyond it | limits |\n|---|---|\n".to_owned();
    for (beyond, names) in rows {
        // Writing to a text cannot fail.
        let _ = writeln!(table, "| {beyond} | {} |", names.join(", "));
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
        assert!(has_row, "{} has no row: is it a limit, and what comes beyond it?", setting.name);
    }
    let names = LIMITS.iter().map(|(name, ..)| *name).chain(OTHERS.iter().copied());
    for name in names {
        assert!(TABLE.iter().any(|setting| setting.name == name), "{name} is no setting");
    }
}
