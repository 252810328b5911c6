//! Statements on the tables of webhooks, which are Duet's own: made on request, never served.
//!
//! An event waits (state 0) until its endpoint has accepted it (1), or its attempts are used up (2). A claim counts an
//! attempt and moves the next one behind the time that this one may take: after a crash it is due again. What ends an
//! attempt names its number, so that a sender which was too slow changes nothing.

use duet_model::{Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// The columns that describe an event, in the order of [`read_events`] and [`due_events`].
const EVENT: &str = "c.sequence, c.id, c.endpoint, c.type, c.key, c.created_at, c.attempts, c.payload, \
     c.state, c.next_at, c.done_at, c.last_status, c.last_error, c.begun_at";

/// What an attempt was about.
#[derive(Clone, Copy, Debug)]
pub struct WebhookAttempt {
    /// The event.
    pub sequence: i64,
    /// The number of the attempt.
    pub attempt: i64,
}

/// How an attempt has failed.
#[derive(Clone, Debug)]
pub struct FailedAttempt<'a> {
    /// The status of the answer, if there was one.
    pub status: Option<i64>,
    /// Why it failed.
    pub error: &'a str,
    /// The body that was sent, which later attempts send again.
    pub payload: &'a str,
}

/// Looks whether the tables exist and may be used.
pub fn find_webhook_tables(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.webhook_tables().usable);
    writer.finish()
}

/// Reads the names of the triggers that fill the outbox.
pub fn read_webhook_triggers(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.webhook_tables().triggers);
    writer.finish()
}

/// Reads the endpoints: name, when it was disabled, why, until when it rests, when it accepted an event last, and its
/// application.
pub fn read_endpoints(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT name, disabled_at, reason, paused_until, accepted_at, application FROM ");
    writer.text(dialect.webhook_tables().endpoints);
    writer.text(" ORDER BY name");
    writer.finish()
}

/// Reads the names of an application's endpoints that have an event which is due.
pub fn due_endpoints(dialect: &dyn Dialect, application: &str, now: i64) -> Statement {
    let tables = dialect.webhook_tables();
    let mut writer = Writer::new(dialect);
    writer.text("SELECT e.name FROM ");
    writer.text(tables.endpoints);
    writer.text(" AS e WHERE e.application = ");
    text(&mut writer, application);
    writer.text(" AND e.disabled_at IS NULL AND e.paused_until <= ");
    number(&mut writer, now);
    writer.text(" AND EXISTS (SELECT 1 FROM ");
    writer.text(tables.outbox);
    writer.text(" AS c WHERE c.endpoint = e.name AND c.state = 0 AND c.next_at <= ");
    number(&mut writer, now);
    writer.text(") ORDER BY e.name");
    writer.finish()
}

/// Reads events of an endpoint that are due, those that wait longest first, of each key only the first that waits. They
/// are locked where the store locks rows; those that another sender has locked are left out.
pub fn due_events(dialect: &dyn Dialect, endpoint: &str, now: i64, most: usize) -> Statement {
    let tables = dialect.webhook_tables();
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.text(EVENT);
    writer.text(" FROM ");
    writer.text(tables.outbox);
    writer.text(" AS c WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND c.state = 0 AND c.next_at <= ");
    number(&mut writer, now);
    writer.text(" AND NOT EXISTS (SELECT 1 FROM ");
    writer.text(tables.outbox);
    writer.text(
        " AS b WHERE b.endpoint = c.endpoint AND b.key = c.key AND b.state = 0 \
         AND b.sequence < c.sequence) ORDER BY c.next_at, c.sequence LIMIT ",
    );
    writer.number(most);
    if let Some([skip, _]) = dialect.row_lock_without_waiting() {
        writer.text(" FOR UPDATE OF c");
        writer.text(skip);
    }
    writer.finish()
}

/// Begins an attempt of each of these events, which ends before `until`.
pub fn claim_events(dialect: &dyn Dialect, events: &[i64], now: i64, until: i64) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET attempts = attempts + 1, begun_at = coalesce(begun_at, ");
    number(&mut writer, now);
    writer.text("), next_at = ");
    number(&mut writer, until);
    writer.text(" WHERE sequence IN (");
    writer.list(events.iter().copied(), ", ", number);
    writer.text(")");
    writer.finish()
}

/// An endpoint has accepted an event.
pub fn event_accepted(
    dialect: &dyn Dialect,
    attempted: WebhookAttempt,
    status: i64,
    now: i64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET state = 1, payload = NULL, last_error = NULL, last_status = ");
    number(&mut writer, status);
    writer.text(", done_at = ");
    number(&mut writer, now);
    of_attempt(&mut writer, attempted);
    writer.finish()
}

/// An attempt has failed; the next one is at `next_at`.
pub fn event_failed(
    dialect: &dyn Dialect,
    attempted: WebhookAttempt,
    failed: &FailedAttempt<'_>,
    next_at: i64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET next_at = ");
    number(&mut writer, next_at);
    of_failure(&mut writer, failed);
    of_attempt(&mut writer, attempted);
    writer.finish()
}

/// The last attempt has failed.
pub fn event_dead(
    dialect: &dyn Dialect,
    attempted: WebhookAttempt,
    failed: &FailedAttempt<'_>,
    now: i64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET state = 2, done_at = ");
    number(&mut writer, now);
    of_failure(&mut writer, failed);
    of_attempt(&mut writer, attempted);
    writer.finish()
}

/// Later events of a key are not looked at before the first one is due again.
pub fn hold_key(
    dialect: &dyn Dialect,
    endpoint: &str,
    key: &str,
    behind: i64,
    next_at: i64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET next_at = ");
    number(&mut writer, next_at);
    writer.text(" WHERE endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND key = ");
    text(&mut writer, key);
    writer.text(" AND state = 0 AND sequence > ");
    number(&mut writer, behind);
    writer.text(" AND next_at < ");
    number(&mut writer, next_at);
    writer.finish()
}

/// Later events of a key are due: the one before them has ended.
pub fn release_key(dialect: &dyn Dialect, endpoint: &str, key: &str, behind: i64) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" SET next_at = 0 WHERE endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND key = ");
    text(&mut writer, key);
    writer.text(" AND state = 0 AND attempts = 0 AND next_at > 0 AND sequence > ");
    number(&mut writer, behind);
    writer.finish()
}

/// An endpoint has accepted something.
pub fn endpoint_accepted(dialect: &dyn Dialect, endpoint: &str, now: i64) -> Statement {
    let mut writer = of_endpoints(dialect, " SET accepted_at = ");
    number(&mut writer, now);
    of_endpoint(&mut writer, endpoint);
    writer.finish()
}

/// An endpoint is to be left alone for a while.
pub fn pause_endpoint(dialect: &dyn Dialect, endpoint: &str, until: i64) -> Statement {
    let mut writer = of_endpoints(dialect, " SET paused_until = ");
    number(&mut writer, until);
    of_endpoint(&mut writer, endpoint);
    writer.text(" AND paused_until < ");
    number(&mut writer, until);
    writer.finish()
}

/// An endpoint gets nothing more, and no events are recorded for it; with `idle_since`, only where it has accepted
/// nothing since that moment.
pub fn disable_endpoint(
    dialect: &dyn Dialect,
    endpoint: &str,
    reason: &str,
    now: i64,
    idle_since: Option<i64>,
) -> Statement {
    let mut writer = of_endpoints(dialect, " SET reason = ");
    text(&mut writer, reason);
    writer.text(", disabled_at = ");
    number(&mut writer, now);
    of_endpoint(&mut writer, endpoint);
    writer.text(" AND disabled_at IS NULL");
    if let Some(since) = idle_since {
        writer.text(" AND accepted_at < ");
        number(&mut writer, since);
    }
    writer.finish()
}

/// An endpoint gets events again.
pub fn enable_endpoint(dialect: &dyn Dialect, endpoint: &str) -> Statement {
    let mut writer =
        of_endpoints(dialect, " SET disabled_at = NULL, reason = NULL, paused_until = 0");
    of_endpoint(&mut writer, endpoint);
    writer.finish()
}

/// Which events of an endpoint are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Those in this state: 0 waits, 1 was delivered, 2 is a dead letter.
    pub state: Option<i64>,
    /// The one with this id.
    pub id: Option<String>,
    /// Those that were recorded at this moment or later, in milliseconds since 1970.
    pub since: Option<i64>,
}

/// Reads events of an endpoint, the newest first.
pub fn read_events(
    dialect: &dyn Dialect,
    endpoint: &str,
    filter: &EventFilter,
    most: usize,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.text(EVENT);
    writer.text(" FROM ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" AS c WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    matching(&mut writer, filter);
    writer.text(" ORDER BY c.sequence DESC LIMIT ");
    writer.number(most);
    writer.finish()
}

/// Makes events that have ended due again, with all their attempts.
pub fn replay_events(dialect: &dyn Dialect, endpoint: &str, filter: &EventFilter) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" AS c SET state = 0, attempts = 0, next_at = 0, done_at = NULL, begun_at = NULL WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND c.state <> 0");
    matching(&mut writer, filter);
    writer.finish()
}

/// Counts the events of an endpoint in a state, up to so many.
pub fn count_events(dialect: &dyn Dialect, endpoint: &str, state: i64, most: usize) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT count(*), min(w.created_at) FROM (SELECT c.created_at FROM ");
    writer.text(dialect.webhook_tables().outbox);
    writer.text(" AS c WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND c.state = ");
    number(&mut writer, state);
    writer.text(" LIMIT ");
    writer.number(most);
    writer.text(") AS w");
    writer.finish()
}

/// Removes some of an endpoint's events that ended before a moment: delivered ones, or dead letters.
pub fn remove_events(
    dialect: &dyn Dialect,
    endpoint: &str,
    state: i64,
    before: i64,
    most: usize,
) -> Statement {
    let outbox = dialect.webhook_tables().outbox;
    let mut writer = Writer::new(dialect);
    writer.text("DELETE FROM ");
    writer.text(outbox);
    writer.text(" WHERE sequence IN (SELECT c.sequence FROM ");
    writer.text(outbox);
    writer.text(" AS c WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND c.state = ");
    number(&mut writer, state);
    writer.text(" AND c.state <> 0 AND c.done_at < ");
    number(&mut writer, before);
    writer.text(" ORDER BY c.done_at LIMIT ");
    writer.number(most);
    if let Some([skip, _]) = dialect.row_lock_without_waiting() {
        writer.text(" FOR UPDATE");
        writer.text(skip);
    }
    writer.text(")");
    writer.finish()
}

/// The statement that makes an endpoint known, for a script.
pub fn register_endpoint(dialect: &dyn Dialect, application: &str, endpoint: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    format!(
        "INSERT INTO {} (name, application) VALUES ({}, {}) ON CONFLICT (name) DO NOTHING;\n",
        dialect.webhook_tables().endpoints,
        quoted(endpoint),
        quoted(application)
    )
}

fn of_endpoints<'d>(dialect: &'d dyn Dialect, set: &'static str) -> Writer<'d> {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.webhook_tables().endpoints);
    writer.text(set);
    writer
}

fn of_endpoint(writer: &mut Writer<'_>, endpoint: &str) {
    writer.text(" WHERE name = ");
    text(writer, endpoint);
}

fn of_failure(writer: &mut Writer<'_>, failed: &FailedAttempt<'_>) {
    writer.text(", last_status = ");
    match failed.status {
        Some(status) => number(writer, status),
        None => writer.text("NULL"),
    }
    writer.text(", last_error = ");
    text(writer, failed.error);
    writer.text(", payload = ");
    text(writer, failed.payload);
}

fn of_attempt(writer: &mut Writer<'_>, attempted: WebhookAttempt) {
    writer.text(" WHERE sequence = ");
    number(writer, attempted.sequence);
    writer.text(" AND state = 0 AND attempts = ");
    number(writer, attempted.attempt);
}

fn matching(writer: &mut Writer<'_>, filter: &EventFilter) {
    if let Some(state) = filter.state {
        writer.text(" AND c.state = ");
        number(writer, state);
    }
    if let Some(id) = &filter.id {
        writer.text(" AND c.id = ");
        text(writer, id);
    }
    if let Some(since) = filter.since {
        writer.text(" AND c.created_at >= ");
        number(writer, since);
    }
}

fn text(writer: &mut Writer<'_>, value: &str) {
    writer.bind(Value::Text(value.to_owned()), &Type::Text, "text");
}

fn number(writer: &mut Writer<'_>, value: i64) {
    writer.bind(Value::Int(value), &Type::Integer { bits: 64 }, "bigint");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, Sqlite};

    #[test]
    fn values_are_parameters() {
        let attempted = WebhookAttempt { sequence: 7, attempt: 1 };
        let failed = FailedAttempt { status: None, error: "ann", payload: "ann" };
        let filter = EventFilter { state: Some(1), id: Some("ann".to_owned()), since: Some(8) };
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let statements = [
                due_endpoints(dialect, "ann", 1),
                due_events(dialect, "ann", 1, 2),
                event_failed(dialect, attempted, &failed, 9),
                hold_key(dialect, "ann", "ann", 1, 2),
                disable_endpoint(dialect, "ann", "ann", 1, Some(1)),
                read_events(dialect, "ann", &filter, 5),
                replay_events(dialect, "ann", &filter),
            ];
            for statement in statements {
                assert!(!statement.sql.contains("ann"), "{}", statement.sql);
            }
        }
    }

    /// Two senders take other events, and neither waits for the other.
    #[test]
    fn events_that_others_hold_are_skipped_where_rows_are_locked() {
        let due = |dialect: &dyn Dialect| due_events(dialect, "e", 1, 8).sql;
        assert!(due(&Postgres { icu: true }).ends_with("LIMIT 8 FOR UPDATE OF c SKIP LOCKED"));
        assert!(due(&Sqlite).ends_with("LIMIT 8"));
    }
}
