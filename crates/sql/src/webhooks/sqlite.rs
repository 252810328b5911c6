//! The triggers of SQLite, which has them for single rows alone: one for each kind of statement.

use super::{RowEvent, WatchScript, WatchedTable};
use crate::parts::quotes::quoted;

/// The head of each `INSERT`, and the moment of the change, which every version of SQLite knows.
const INSERT: &str = "INSERT INTO duet_webhook_outbox (id, endpoint, type, key, created_at) \
     SELECT 'msg_' || lower(hex(randomblob(16))), e.name, ";
const NOW: &str = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";

pub(crate) fn script(watched: &WatchedTable) -> WatchScript {
    let updated = format!("{} ", same_key(watched));
    let moved = format!("NOT ({}) ", same_key(watched));
    let bodies = [
        ("insert", event(watched, RowEvent::Created, "NEW", "")),
        ("delete", event(watched, RowEvent::Deleted, "OLD", "")),
        (
            "update",
            [
                event(watched, RowEvent::Updated, "NEW", &updated),
                event(watched, RowEvent::Deleted, "OLD", &moved),
                event(watched, RowEvent::Created, "NEW", &moved),
            ]
            .concat(),
        ),
    ];
    let text: String = bodies.iter().map(|(_, body)| body.as_str()).collect();
    let name = watched.trigger_name(&text);
    let table = quoted(&watched.table);
    let (mut create, mut triggers) = (String::new(), Vec::new());
    for (statement, body) in bodies {
        if body.is_empty() {
            continue;
        }
        let trigger = format!("{name}_{statement}");
        create.push_str(&format!(
            "CREATE TRIGGER IF NOT EXISTS {trigger} AFTER {statement} ON {table} BEGIN\n{body}END;\n"
        ));
        triggers.push(trigger);
    }
    WatchScript { triggers, create }
}

/// Removes a trigger.
pub(crate) fn drop_script(trigger: &str) -> String {
    format!("DROP TRIGGER IF EXISTS {};\n", quoted(trigger))
}

/// The statement that adds an event; empty where no endpoint gets it.
fn event(watched: &WatchedTable, event: RowEvent, row: &str, when: &str) -> String {
    let Some(endpoints) = watched.listening(event) else { return String::new() };
    let (name, key) = (watched.type_of(event.name()), key(watched, row));
    let when = if when.is_empty() { String::new() } else { format!(" AND {when}") };
    format!(
        "{INSERT}{name}, {key}, {NOW} FROM duet_webhook_endpoints AS e \
         WHERE e.name IN ({endpoints}) AND e.disabled_at IS NULL{when};\n"
    )
}

/// The key of a row as a JSON array; bytes, which JSON has not, as hexadecimal digits.
fn key(watched: &WatchedTable, row: &str) -> String {
    let part = |column: &String| {
        let name = format!("{row}.{}", quoted(column));
        format!("CASE typeof({name}) WHEN 'blob' THEN lower(hex({name})) ELSE {name} END")
    };
    let parts: Vec<String> = watched.key.iter().map(part).collect();
    format!("json_array({})", parts.join(", "))
}

/// Whether an update keeps the key.
fn same_key(watched: &WatchedTable) -> String {
    let part = |column: &String| {
        let name = quoted(column);
        format!("NEW.{name} IS OLD.{name}")
    };
    watched.key.iter().map(part).collect::<Vec<_>>().join(" AND ")
}
