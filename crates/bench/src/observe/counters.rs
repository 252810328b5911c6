//! PostgreSQL's counters: which of them a version has, and their growth.

use std::collections::BTreeMap;

/// Counters by the database's own names.
pub(super) type Counters = BTreeMap<String, f64>;

/// Columns of `pg_stat_database`.
const DATABASE: &[&str] = &[
    "xact_commit",
    "xact_rollback",
    "blks_read",
    "blks_hit",
    "tup_returned",
    "tup_fetched",
    "tup_inserted",
    "tup_updated",
    "tup_deleted",
    "conflicts",
    "deadlocks",
    "temp_files",
    "temp_bytes",
    "blk_read_time",
    "blk_write_time",
];
const DATABASE_14: &[&str] = &["sessions", "active_time", "idle_in_transaction_time"];

const CHECKPOINTS: Pairs = &[
    ("checkpoints", "checkpoints_timed + checkpoints_req"),
    ("buffers_checkpoint", "buffers_checkpoint"),
];
const CHECKPOINTS_17: Pairs =
    &[("checkpoints", "num_timed + num_requested"), ("buffers_checkpoint", "buffers_written")];
const CHECKPOINTS_18: Pairs =
    &[("checkpoints", "num_done"), ("buffers_checkpoint", "buffers_written")];
const WAL_14: Pairs =
    &[("wal_records", "wal_records"), ("wal_fpi", "wal_fpi"), ("wal_bytes", "wal_bytes")];
const IO_16: Pairs = &[
    ("io_reads", "sum(reads)"),
    ("io_writes", "sum(writes)"),
    ("io_extends", "sum(extends)"),
    ("io_fsyncs", "sum(fsyncs)"),
];

/// The statement that reads all counters of a server of this version, as floating-point numbers:
/// their values stay far below 2⁵³.
pub(super) fn statement(version: i64) -> String {
    let names = DATABASE.iter().chain(if version >= 140_000 { DATABASE_14 } else { &[] });
    let mut columns: Vec<String> = names.map(|name| format!("{name}::float8 AS {name}")).collect();
    for (view, pairs) in views(version) {
        let column =
            |(name, of): &(&str, &str)| format!("(SELECT ({of})::float8 FROM {view}) AS {name}");
        columns.extend(pairs.iter().map(column));
    }
    // The position of the log is current; what sessions say that they wrote is published later.
    columns.push(
        "pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() \
            ELSE pg_current_wal_insert_lsn() END, '0/0')::float8 AS wal_position"
            .into(),
    );
    format!(
        "SELECT {} FROM pg_stat_database WHERE datname = current_database()",
        columns.join(", ")
    )
}

/// Counters of a view: our name, and the selected expression.
type Pairs = &'static [(&'static str, &'static str)];

/// The server's own views that a version has.
fn views(version: i64) -> Vec<(&'static str, Pairs)> {
    let mut views: Vec<(&str, Pairs)> = vec![match version {
        180_000.. => ("pg_stat_checkpointer", CHECKPOINTS_18),
        170_000.. => ("pg_stat_checkpointer", CHECKPOINTS_17),
        _ => ("pg_stat_bgwriter", CHECKPOINTS),
    }];
    if version >= 140_000 {
        views.push(("pg_stat_wal", WAL_14));
    }
    if version >= 160_000 {
        views.push(("pg_stat_io", IO_16));
    }
    views
}

/// A counter's growth; `None` if the counter is missing or was reset.
pub(super) fn difference(now: &Counters, then: &Counters, name: &str) -> Option<f64> {
    let grown = now.get(name)? - then.get(name)?;
    (grown >= 0.0).then_some(grown)
}

/// Rates between two readings that are this many seconds apart; `own` of the commits are the
/// observer's.
pub(super) fn rates(
    now: &Counters,
    then: &Counters,
    seconds: f64,
    own: u64,
    out: &mut BTreeMap<String, f64>,
) {
    let mut put = |name: &str, of: &[&str], unit: f64| {
        let grown: Option<f64> = of.iter().map(|name| difference(now, then, name)).sum();
        if let Some(grown) = grown {
            out.insert(name.into(), grown / unit / seconds);
        }
    };
    put("db.commits", &["xact_commit"], 1.0);
    put("db.rollbacks", &["xact_rollback"], 1.0);
    put("db.rows_changed", &["tup_inserted", "tup_updated", "tup_deleted"], 1.0);
    put("db.rows_inserted", &["tup_inserted"], 1.0);
    put("db.rows_updated", &["tup_updated"], 1.0);
    put("db.rows_deleted", &["tup_deleted"], 1.0);
    put("db.rows_fetched", &["tup_fetched"], 1.0);
    put("db.blocks_read", &["blks_read"], 1.0);
    put("db.blocks_hit", &["blks_hit"], 1.0);
    put("db.deadlocks", &["deadlocks"], 1.0);
    put("db.temp_mb", &["temp_bytes"], 1e6);
    put("db.wal_mb", &["wal_position"], 1e6);
    put("db.checkpoints", &["checkpoints"], 1.0);
    if let Some(commits) = out.get_mut("db.commits") {
        *commits = (*commits - own as f64 / seconds).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, f64)]) -> Counters {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn versions_have_their_views() {
        let has = |version, text: &str| statement(version).contains(text);
        assert!(!has(130_012, "sessions") && !has(130_012, "pg_stat_wal"));
        assert!(has(140_000, "pg_stat_wal") && has(140_000, "pg_stat_bgwriter"));
        assert!(!has(150_018, "pg_stat_io") && has(160_001, "pg_stat_io"));
        assert!(has(170_000, "num_requested") && !has(170_000, "pg_stat_bgwriter"));
        assert!(has(180_000, "num_done"));
    }

    #[test]
    fn rates_of_counters() {
        let then = of(&[("xact_commit", 100.0), ("tup_inserted", 1.0), ("wal_position", 0.0)]);
        let now = of(&[("xact_commit", 224.0), ("tup_inserted", 5.0), ("wal_position", 4e6)]);
        let mut out = BTreeMap::new();
        rates(&now, &then, 2.0, 24, &mut out);
        assert_eq!(
            (out["db.commits"], out["db.wal_mb"], out["db.rows_inserted"]),
            (50.0, 2.0, 2.0)
        );
        // A sum with an unknown part is unknown, and no counter decreases.
        assert!(!out.contains_key("db.rows_changed"));
        assert_eq!(difference(&then, &now, "xact_commit"), None);
    }
}
