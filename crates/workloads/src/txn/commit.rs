//! The commit class of a run: which header requests have, and what the same is for sessions of the database.

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::refused;
use duet_model::Result;

use super::Facts;
use super::facts::BATCH;
use crate::flag::{Flag, Values};

/// The commit class that writes ask for.
pub const COMMIT: Flag = Flag {
    name: "commit",
    placeholder: "CLASS",
    help: "The commit class that writes ask for [default: that of the resource]",
    default: None,
    values: Values::Words(&[
        ("sync", "When it is synced, in a transaction of its own"),
        ("group", "When it is synced, with the writes that wait"),
        ("ingest", "When it is synced in the journal"),
        ("async", "Before it is synced"),
        ("memory", "When the journal has it in memory"),
    ]),
};

/// The header field of writes.
pub(super) fn header(class: &str) -> String {
    match class {
        "" => String::new(),
        class => format!("Prefer: commit={class}\r\n"),
    }
}

/// What a session of the database sets, so that its commits wait for the same.
pub(super) fn statement(class: &str) -> Option<&'static str> {
    match class {
        "sync" | "group" => Some("SET synchronous_commit = on"),
        "async" => Some("SET synchronous_commit = off"),
        _ => None,
    }
}

/// Refuses types that do not have this class.
///
/// # Errors
/// With the type and the reason.
pub(super) fn check(facts: &Facts) -> Result<()> {
    let class = &facts.commit;
    if facts.is_journaled() && facts.weights[BATCH] > 0.0 {
        let message = format!(
            "BATCH has no class {class:?}: `_/batch` is never written from the journal. The workload ingest sends arrays"
        );
        return Err(refused(&message));
    }
    if class.is_empty() || !facts.needs_database() {
        return Ok(());
    }
    if facts.is_journaled() {
        let message = format!(
            "SQL and SQLTX have no class {class:?}: a session of the database has no journal"
        );
        return Err(refused(&message));
    }
    if facts.database.as_ref().is_some_and(DatabaseAddress::is_blocking) {
        let message = format!(
            "SQL and SQLTX have no class {class:?} on SQLite: its sessions share no sync, and the one of `async` comes \
             from the server. Leave out --commit, or SQL and SQLTX"
        );
        return Err(refused(&message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_sent_and_set() {
        let Values::Words(words) = COMMIT.values else { panic!("words") };
        for (class, _) in words {
            assert_eq!(header(class), format!("Prefer: commit={class}\r\n"));
            assert_eq!(statement(class).is_none(), super::super::facts::JOURNALED.contains(class));
        }
        assert_eq!((header(""), statement("")), (String::new(), None));
    }
}
