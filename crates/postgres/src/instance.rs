//! The state of a PostgreSQL server as its statistics show it (PostgreSQL manual, chapter "Monitoring Database Activity").

use duet_client::sqlstate;
use duet_model::Result;
use duet_store::instance::{InstanceView, SESSIONS, SessionView};
use tokio_postgres::{Client, Row};

/// Sessions of this database; the kind of those that may not be read is not known. Only for a session that waits for
/// a lock it is asked who blocks it: that question stops all locking for a moment.
const SESSION_LIST: &str = "
SELECT a.pid, coalesce(a.usename::text, ''), coalesce(a.application_name, ''), a.state, a.wait_event_type, a.wait_event,
       CASE WHEN w.pid IS NOT NULL THEN pg_catalog.pg_blocking_pids(a.pid) ELSE '{}' END,
       coalesce(extract(epoch FROM pg_catalog.clock_timestamp() - coalesce(a.state_change, a.backend_start)), 0)::float8,
       upper(substring(a.query FROM '^\\s*([A-Za-z]+)')), w.pid IS NOT NULL
  FROM pg_catalog.pg_stat_activity a
  LEFT JOIN (SELECT DISTINCT pid FROM pg_catalog.pg_locks WHERE NOT granted) w ON w.pid = a.pid
 WHERE a.datname = pg_catalog.current_database() AND coalesce(a.backend_type, 'client backend') = 'client backend' AND a.pid <> pg_catalog.pg_backend_pid()
 ORDER BY (w.pid IS NOT NULL) DESC, (a.state = 'idle') NULLS LAST, a.pid
 LIMIT $1";

/// Counters of this database, and what is as it is now.
const FIGURES: &str = "
SELECT d.xact_commit::float8, d.xact_rollback::float8, d.blks_hit::float8, d.blks_read::float8,
       (d.tup_returned + d.tup_fetched)::float8, (d.tup_inserted + d.tup_updated + d.tup_deleted)::float8,
       d.deadlocks::float8, d.temp_bytes::float8, d.blk_read_time::float8, d.blk_write_time::float8,
       CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL
            ELSE pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0') END::float8,
       d.numbackends::float8, pg_catalog.current_setting('max_connections')::float8
  FROM pg_catalog.pg_stat_database d
 WHERE d.datname = pg_catalog.current_database()";

/// The names of the first columns: what only grows.
const COUNTERS: [&str; 11] = [
    "commits",
    "rollbacks",
    "blocks_from_cache",
    "blocks_read",
    "rows_read",
    "rows_changed",
    "deadlocks",
    "temporary_bytes",
    "read_milliseconds",
    "write_milliseconds",
    "wal_bytes",
];

/// The names of the others.
const GAUGES: [&str; 2] = ["sessions", "most_sessions"];

/// Asks the server.
///
/// # Errors
/// Where it cannot be asked.
pub(crate) async fn view(client: &Client) -> Result<InstanceView> {
    let limit = SESSIONS as i64;
    let rows =
        client.query(SESSION_LIST, &[&limit]).await.map_err(|error| sqlstate::error_of(&error))?;
    let sessions: Vec<SessionView> = rows.iter().map(session).collect();
    let mut view = InstanceView { unread: hidden(&sessions), sessions, ..InstanceView::default() };
    let figures =
        client.query_opt(FIGURES, &[]).await.map_err(|error| sqlstate::error_of(&error))?;
    if let Some(row) = figures {
        let value = |at: usize| row.try_get::<_, Option<f64>>(at).ok().flatten();
        let counters = COUNTERS.iter().enumerate();
        view.counters = counters.filter_map(|(at, name)| Some((*name, value(at)?))).collect();
        let gauges = GAUGES.iter().enumerate();
        let gauges = gauges.filter_map(|(at, name)| Some((*name, value(COUNTERS.len() + at)?)));
        view.gauges = gauges.collect();
    }
    Ok(view)
}

fn session(row: &Row) -> SessionView {
    let text = |at: usize| row.try_get::<_, Option<String>>(at).ok().flatten();
    let (kind, event) = (text(4), text(5));
    let is_waiting = row.try_get(9).unwrap_or(false);
    let wait = match (kind, event) {
        (Some(kind), Some(event)) if kind != "Client" && kind != "Activity" => {
            Some(format!("{kind}: {event}"))
        }
        // The kind may not be read, and that it waits for a lock may.
        _ if is_waiting => Some("Lock".to_owned()),
        _ => None,
    };
    SessionView {
        process: row.try_get(0).unwrap_or_default(),
        user: text(1).unwrap_or_default(),
        program: text(2).unwrap_or_default(),
        state: text(3),
        wait,
        blocked_by: row.try_get(6).unwrap_or_default(),
        seconds: row.try_get(7).unwrap_or_default(),
        verb: text(8),
    }
}

/// What of the sessions may not be read.
fn hidden(sessions: &[SessionView]) -> Vec<String> {
    match sessions.iter().filter(|session| session.state.is_none()).count() {
        0 => Vec::new(),
        count => vec![format!(
            "What {count} of {} sessions do may not be read by the server's role: `GRANT pg_read_all_stats TO` it shows them.",
            sessions.len()
        )],
    }
}
