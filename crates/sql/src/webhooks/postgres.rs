//! The triggers of PostgreSQL: one for each kind of statement, which adds the events of all its rows by one `INSERT`.

use super::{RowEvent, TRUNCATED, WatchScript, WatchedTable, hash};
use crate::parts::quotes::{literal, quoted};

/// The triggers with their transition tables.
const TRIGGERS: [(&str, &str); 4] = [
    ("insert", "REFERENCING NEW TABLE AS new_rows "),
    ("update", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows "),
    ("delete", "REFERENCING OLD TABLE AS old_rows "),
    ("truncate", ""),
];

/// The head of each `INSERT`, with the moment of the change.
const INSERT: &str = "INSERT INTO duet.webhook_outbox (id, endpoint, type, key, created_at)
        SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), e.name, ";
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

pub(crate) fn script(watched: &WatchedTable) -> WatchScript {
    let body = body(watched);
    let name = watched.trigger_name(&body);
    let function = name.replacen("duet_", "", 1);
    let table = format!("{}.{}", quoted(&watched.schema), quoted(&watched.table));
    // No text in the body can end it.
    let quote = format!("$duet_{:016x}$", hash(&body));
    // Whoever writes to the table needs no right to the outbox.
    let mut create = format!(
        "CREATE OR REPLACE FUNCTION duet.{function}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS {quote}{body}{quote};
REVOKE ALL ON FUNCTION duet.{function}() FROM PUBLIC;\n"
    );
    let mut triggers = Vec::new();
    for (statement, referencing) in TRIGGERS {
        let trigger = format!("{name}_{statement}");
        create.push_str(&format!(
            "CREATE TRIGGER {trigger} AFTER {statement} ON {table} {referencing}\
             FOR EACH STATEMENT EXECUTE FUNCTION duet.{function}();\n"
        ));
        triggers.push(trigger);
    }
    WatchScript { triggers, create }
}

/// Removes the function of a trigger, and with it those of all statements.
pub(crate) fn drop_script(trigger: &str) -> String {
    let name = trigger.rsplit_once('_').map_or(trigger, |(name, _)| name);
    let function = quoted(&name.replacen("duet_", "", 1));
    format!("DROP FUNCTION IF EXISTS duet.{function}() CASCADE;\n")
}

fn body(watched: &WatchedTable) -> String {
    let (of_insert, of_delete) = (RowEvent::Created, RowEvent::Deleted);
    format!(
        "\nBEGIN
    IF TG_OP = 'INSERT' THEN{}
    ELSIF TG_OP = 'DELETE' THEN{}
    ELSIF TG_OP = 'UPDATE' THEN{}
    ELSE{}
    END IF;
    RETURN NULL;
END\n",
        one_kind(watched, of_insert, "new_rows"),
        one_kind(watched, of_delete, "old_rows"),
        update(watched),
        truncate(watched),
    )
}

/// The events of a statement that makes or removes rows.
fn one_kind(watched: &WatchedTable, event: RowEvent, rows: &str) -> String {
    let Some(endpoints) = watched.listening(event) else { return nothing() };
    let (name, key) = (watched.type_of(event.name()), key(watched));
    format!(
        "\n        {INSERT}{name}, {key}, {NOW}
          FROM {rows} AS r CROSS JOIN duet.webhook_endpoints AS e
         WHERE e.name IN ({endpoints}) AND e.disabled_at IS NULL;"
    )
}

/// The events of an update. Keys are grouped rather than joined: transition tables have no statistics, and the time of a
/// wrong join would grow with the square of the rows.
fn update(watched: &WatchedTable) -> String {
    let conditions = [
        (RowEvent::Updated, "c.is_new AND c.was_old"),
        (RowEvent::Created, "c.is_new AND NOT c.was_old"),
        (RowEvent::Deleted, "NOT c.is_new"),
    ];
    let listening: Vec<(RowEvent, &str, String)> = conditions
        .into_iter()
        .filter_map(|(event, when)| Some((event, when, watched.listening(event)?)))
        .collect();
    if listening.is_empty() {
        return nothing();
    }
    let types: String = (listening.iter())
        .map(|(event, when, _)| format!(" WHEN {when} THEN {}", watched.type_of(event.name())))
        .collect();
    let wanted: Vec<String> = (listening.iter())
        .map(|(_, when, endpoints)| format!("{when} AND e.name IN ({endpoints})"))
        .collect();
    let key = key(watched);
    format!(
        "\n        {INSERT}CASE{types} END, c.key, {NOW}
          FROM (SELECT k.key, bool_or(k.is_new) AS is_new, bool_or(NOT k.is_new) AS was_old
                  FROM (SELECT {key} AS key, true AS is_new FROM new_rows AS r
                        UNION ALL SELECT {key}, false FROM old_rows AS r) AS k
                 GROUP BY k.key) AS c
         CROSS JOIN duet.webhook_endpoints AS e
         WHERE e.disabled_at IS NULL AND ({});",
        wanted.join(" OR ")
    )
}

/// One event for each endpoint that learns of removed rows.
fn truncate(watched: &WatchedTable) -> String {
    let Some(endpoints) = watched.listening(RowEvent::Deleted) else { return nothing() };
    let name = watched.type_of(TRUNCATED);
    format!(
        "\n        {INSERT}{name}, {}, {NOW}
          FROM duet.webhook_endpoints AS e
         WHERE e.name IN ({endpoints}) AND e.disabled_at IS NULL;",
        literal("null")
    )
}

fn nothing() -> String {
    " NULL;".to_owned()
}

/// The key of the row `r` as a JSON array.
fn key(watched: &WatchedTable) -> String {
    let parts: Vec<String> =
        watched.key.iter().map(|column| format!("r.{}", quoted(column))).collect();
    format!("json_build_array({})::text", parts.join(", "))
}
