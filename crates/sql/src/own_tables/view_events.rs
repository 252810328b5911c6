//! Statements on the events of views, which are rows of the outbox of webhooks that are not sent: their state is
//! always 1, and they are read as pages in the order of their commits.
//!
//! Where transactions run at the same time, a number that is drawn earlier may be committed later. There events are
//! ordered by their transactions, and only those are read before which every transaction has ended: a reader that has
//! one never misses an earlier one.
//!
//! The newest event is never removed, and the first one is made with the endpoint. So the event where a reader stands
//! is there, unless it and later ones were removed.

use duet_model::{Type, Value};

use crate::dialect::Dialect;
use crate::parts::quotes::literal;
use crate::writer::{Statement, Writer};

/// The type of the first event, which is about no document.
const BEGIN: &str = "begin";

/// Where an event is in the order of an endpoint's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    /// The number of its transaction; 0 where the store has no such numbers.
    pub transaction: i64,
    /// Its own number.
    pub sequence: i64,
}

/// An event to be recorded.
#[derive(Clone, Debug)]
pub struct ViewEventRow {
    /// Its id.
    pub id: String,
    /// The endpoint of its view.
    pub endpoint: String,
    /// `name.created` and the like.
    pub kind: String,
    /// The key of the document, as a path segment.
    pub key: String,
    /// The document and its etag, as JSON.
    pub payload: String,
}

/// The endpoint of a view's events: no name of a webhook.
pub fn view_endpoint(application: &str, view: &str) -> String {
    format!("view:{application}/{view}")
}

/// Looks whether the outbox may have events of views.
pub fn find_view_outbox(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.webhook_tables().views_usable);
    writer.finish()
}

/// Records events in the order given; `now` is in milliseconds since 1970.
pub fn insert_view_events(dialect: &dyn Dialect, events: &[ViewEventRow], now: i64) -> Statement {
    let tables = dialect.webhook_tables();
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(tables.outbox);
    writer.text(" (id, endpoint, type, key, payload, created_at, done_at, state");
    if let Some(transaction) = tables.transaction {
        writer.text(", ");
        writer.text(transaction.column);
    }
    writer.text(") VALUES ");
    writer.list(events, ", ", |writer, event| {
        writer.text("(");
        for value in [&event.id, &event.endpoint, &event.kind, &event.key, &event.payload] {
            text(writer, value);
            writer.text(", ");
        }
        number(writer, now);
        writer.text(", ");
        number(writer, now);
        writer.text(", 1");
        if let Some(transaction) = tables.transaction {
            writer.text(", ");
            writer.text(transaction.current);
        }
        writer.text(")");
    });
    writer.finish()
}

/// Reads events of an endpoint in their order, from this position on: transaction, number, type, key, moment and
/// payload.
pub fn read_view_events(
    dialect: &dyn Dialect,
    endpoint: &str,
    from: EventPosition,
    most: usize,
) -> Statement {
    let mut writer = of_endpoint(dialect, ", c.type, c.key, c.created_at, c.payload", endpoint);
    compared(&mut writer, dialect, " >= ", from);
    writer.text(" ORDER BY ");
    ordered(&mut writer, dialect, "");
    writer.text(" LIMIT ");
    writer.number(most);
    writer.finish()
}

/// Reads the position of the newest event of an endpoint.
pub fn last_view_event(dialect: &dyn Dialect, endpoint: &str) -> Statement {
    let mut writer = of_endpoint(dialect, "", endpoint);
    writer.text(" ORDER BY ");
    ordered(&mut writer, dialect, " DESC");
    writer.text(" LIMIT 1");
    writer.finish()
}

/// Reads the position of the newest event of an endpoint that was recorded before a moment.
pub fn oldest_to_keep(dialect: &dyn Dialect, endpoint: &str, before: i64) -> Statement {
    let mut writer = of_endpoint(dialect, "", endpoint);
    writer.text(" AND c.done_at < ");
    number(&mut writer, before);
    writer.text(" ORDER BY c.done_at DESC, ");
    ordered(&mut writer, dialect, " DESC");
    writer.text(" LIMIT 1");
    writer.finish()
}

/// Removes some of an endpoint's events before a position, the oldest first.
pub fn remove_view_events(
    dialect: &dyn Dialect,
    endpoint: &str,
    before: EventPosition,
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
    writer.text(" AND c.state = 1");
    compared(&mut writer, dialect, " < ", before);
    writer.text(" ORDER BY ");
    ordered(&mut writer, dialect, "");
    writer.text(" LIMIT ");
    writer.number(most);
    writer.text(")");
    writer.finish()
}

/// The statements that make the endpoint of a view known, with its first event, for a script.
pub fn register_view(dialect: &dyn Dialect, endpoint: &str, application: &str) -> String {
    let tables = dialect.webhook_tables();
    let (outbox, name) = (tables.outbox, literal(endpoint));
    let (column, current) = match tables.transaction {
        Some(order) => (format!(", {}", order.column), format!(", {}", order.current)),
        None => (String::new(), String::new()),
    };
    format!(
        "INSERT INTO {} (name, application) VALUES ({name}, {}) ON CONFLICT (name) DO NOTHING;
INSERT INTO {outbox} (id, endpoint, type, key, created_at, done_at, state{column})
    SELECT 'msg_begin', {name}, {}, '', 0, 0, 1{current}
     WHERE NOT EXISTS (SELECT 1 FROM {outbox} AS c WHERE c.endpoint = {name});\n",
        tables.endpoints,
        literal(application),
        literal(BEGIN),
    )
}

/// A query for positions of an endpoint's events, and more columns.
fn of_endpoint<'d>(dialect: &'d dyn Dialect, more: &'static str, endpoint: &str) -> Writer<'d> {
    let tables = dialect.webhook_tables();
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    match tables.transaction {
        Some(order) => {
            writer.text("c.");
            writer.text(order.column);
        }
        None => writer.text("0"),
    }
    writer.text(", c.sequence");
    writer.text(more);
    writer.text(" FROM ");
    writer.text(tables.outbox);
    writer.text(" AS c WHERE c.endpoint = ");
    text(&mut writer, endpoint);
    writer.text(" AND c.state = 1");
    if let Some(order) = tables.transaction {
        writer.text(" AND c.");
        writer.text(order.column);
        writer.text(" < ");
        writer.text(order.settled);
    }
    writer
}

/// A condition on the position of an event.
fn compared(
    writer: &mut Writer<'_>,
    dialect: &dyn Dialect,
    sign: &'static str,
    position: EventPosition,
) {
    match dialect.webhook_tables().transaction {
        Some(order) => {
            writer.text(" AND (c.");
            writer.text(order.column);
            writer.text(", c.sequence)");
            writer.text(sign);
            writer.text("(");
            number(writer, position.transaction);
            writer.text(", ");
            number(writer, position.sequence);
            writer.text(")");
        }
        None => {
            writer.text(" AND c.sequence");
            writer.text(sign);
            number(writer, position.sequence);
        }
    }
}

fn ordered(writer: &mut Writer<'_>, dialect: &dyn Dialect, direction: &'static str) {
    if let Some(order) = dialect.webhook_tables().transaction {
        writer.text("c.");
        writer.text(order.column);
        writer.text(direction);
        writer.text(", ");
    }
    writer.text("c.sequence");
    writer.text(direction);
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
        let at = EventPosition { transaction: 5, sequence: 7 };
        let row = ViewEventRow {
            id: "ann".into(),
            endpoint: "ann".into(),
            kind: "ann".into(),
            key: "ann".into(),
            payload: "ann".into(),
        };
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let statements = [
                insert_view_events(dialect, &[row.clone(), row.clone()], 1),
                read_view_events(dialect, "ann", at, 3),
                last_view_event(dialect, "ann"),
                oldest_to_keep(dialect, "ann", 1),
                remove_view_events(dialect, "ann", at, 3),
            ];
            for statement in statements {
                assert!(!statement.sql.contains("ann"), "{}", statement.sql);
            }
        }
    }

    #[test]
    fn names_in_scripts_are_quoted() {
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let script = register_view(dialect, &view_endpoint("o'app", "o'view"), "o'app");
            assert!(script.contains("'view:o''app/o''view'"), "{script}");
        }
    }

    /// Where transactions overlap, no event is read that an earlier one may still precede.
    #[test]
    fn events_are_read_behind_all_that_run() {
        let at = EventPosition::default();
        let read = |dialect: &dyn Dialect| read_view_events(dialect, "e", at, 3).sql;
        let postgres = read(&Postgres { icu: true });
        assert!(postgres.contains("c.transaction_id < pg_catalog.pg_snapshot_xmin"), "{postgres}");
        assert!(postgres.ends_with("ORDER BY c.transaction_id, c.sequence LIMIT 3"), "{postgres}");
        let sqlite = read(&Sqlite);
        assert!(sqlite.contains(" AND c.sequence >= "), "{sqlite}");
        assert!(sqlite.ends_with(" ORDER BY c.sequence LIMIT 3"), "{sqlite}");
    }
}
