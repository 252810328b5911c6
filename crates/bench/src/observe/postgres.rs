//! PostgreSQL's statistics about a run, through the observer's own connection.
//!
//! Counters come from the cumulative statistics: a backend publishes its own when it goes idle, at
//! most once a second (twice before version 15), and when it ends. So the figures of one second are
//! shifted by up to one; totals are read when the run's sessions are gone, or when two readings
//! agree. Every statement here is its own transaction, because statistics stay constant within one,
//! and each is counted so that it can be subtracted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use duet_client::{ConnectOptions, Connection, Failure, Rows, Statement};
use duet_model::Value;

use super::counters::{Counters, difference, statement};
use super::processes::{self, Group};
use crate::targets::sql::SESSIONS;
use crate::workload::{Failed, Workload};

/// The `application_name` of the observer's connection.
const NAME: &str = "duet bench observer";

/// Settings that affect the figures.
const SETTINGS: &str = "autovacuum,checkpoint_timeout,commit_delay,data_checksums,\
    default_transaction_isolation,effective_cache_size,effective_io_concurrency,fsync,\
    full_page_writes,huge_pages,io_method,jit,maintenance_work_mem,max_connections,\
    max_parallel_workers_per_gather,max_wal_size,random_page_cost,shared_buffers,ssl,\
    synchronous_commit,synchronous_standby_names,track_io_timing,wal_buffers,wal_compression,\
    wal_level,work_mem";

/// The name of parallel workers in [`WAITS`].
pub(super) const PARALLEL: &str = "parallel worker";

/// Sessions by state, and their parallel workers. `$1` holds the run's names, joined by the unit
/// separator; an empty text means all sessions of the database.
const WAITS: &str = "SELECT CASE \
        WHEN backend_type = 'parallel worker' THEN backend_type \
        WHEN query = '<insufficient privilege>' THEN 'hidden' \
        WHEN state LIKE 'idle in transaction%' THEN 'IdleInTransaction' \
        WHEN state IN ('active', 'fastpath function call') THEN coalesce(wait_event_type, 'CPU') \
        ELSE 'idle' END, count(*) \
    FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid() \
        AND coalesce(backend_type, 'client backend') IN ('client backend', 'parallel worker') \
        AND ($1 = '' OR application_name = ANY(string_to_array($1, chr(31)))) \
    GROUP BY 1";

/// Publishes this session's counts. It reads a table because a session that has read none has
/// nothing to publish.
const FLUSH: &str = "SELECT count(pg_stat_force_next_flush()) FROM pg_database";
const TOUCH: &str = "SELECT count(*) FROM pg_database";

/// The first version that publishes on request, and before a session disappears from the list.
const FLUSHES: i64 = 150_000;

/// Longer than the shortest interval between two publications of a session.
const PUBLISHED: Duration = Duration::from_millis(1200);

/// The most readings until two agree.
const READINGS: usize = 6;

/// The limit of the wait for sessions that were closed before the run.
const LEAVING: Duration = Duration::from_secs(2);

/// Separates names of sessions.
const SEPARATOR: &str = "\u{1f}";

/// The interval between checks whether the sessions are gone.
const GLANCE: Duration = Duration::from_millis(50);

/// The observer's state for a server.
pub(super) struct Postgres {
    connection: Connection,
    /// `server_version_num`.
    version: i64,
    counters: Statement,
    waits: Statement,
    flush: Statement,
    applications: String,
    /// Transactions of the observer that the server has committed.
    own: u64,
}

/// Counters at a moment, including all earlier work.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) counters: Counters,
    /// The observer's own commits among them.
    pub(super) own: u64,
}

impl Totals {
    /// Commits by others.
    pub(super) fn commits(&self) -> f64 {
        self.counters.get("xact_commit").copied().unwrap_or(0.0) - self.own as f64
    }

    fn agrees(&self, other: &Self) -> bool {
        let changes = ["xact_rollback", "tup_inserted", "tup_updated", "tup_deleted"];
        let same = |name: &&str| self.counters.get(*name) == other.counters.get(*name);
        // Before version 15 the observer's last transactions may not be published yet.
        changes.iter().all(same) && (self.commits() - other.commits()).abs() <= 2.0
    }
}

impl Postgres {
    /// Connects; `own` is the count of transactions of an earlier connection.
    pub(super) async fn open(
        target: &ConnectOptions,
        applications: &[String],
        own: u64,
    ) -> Result<Self, Failure> {
        let mut connection = Connection::open(target, NAME).await?;
        let version = connection.ask("SELECT current_setting('server_version_num')", &[]).await?;
        let version = version.first_int(0).unwrap_or(0);
        let counters = connection.prepare(&statement(version)).await?;
        let waits = connection.prepare(WAITS).await?;
        let flush = if version >= FLUSHES { FLUSH } else { TOUCH };
        let flush = connection.prepare(flush).await?;
        // Connecting, setting the name, and five statements.
        let own = own + 7;
        let applications = applications.join(SEPARATOR);
        Ok(Self { connection, version, counters, waits, flush, applications, own })
    }

    /// Transactions of the observer so far.
    pub(super) fn own(&self) -> u64 {
        self.own
    }

    /// Prepares and executes a statement once.
    pub(super) async fn ask(&mut self, sql: &str, values: &[Value]) -> Result<Rows, Failure> {
        let rows = self.connection.ask(sql, values).await?;
        // Preparing is a transaction too.
        self.own += 2;
        Ok(rows)
    }

    /// The server's name and version, and its settings.
    pub(super) async fn settings(&mut self) -> Result<(String, BTreeMap<String, String>), Failure> {
        let sql = "SELECT name, current_setting(name) FROM pg_settings \
            WHERE name = ANY(string_to_array($1, ',')) ORDER BY 1";
        let rows = self.ask(sql, &[Value::Text(SETTINGS.into())]).await?;
        let text = |value: Option<&Value>| value.map(Value::to_string).unwrap_or_default();
        let pair = |row: &Vec<Value>| (text(row.first()), text(row.get(1)));
        let settings = rows.rows.iter().map(pair).collect();
        let version = self.ask("SELECT current_setting('server_version')", &[]).await?;
        Ok((format!("PostgreSQL {}", text(version.first(0))), settings))
    }

    /// The server's machine.
    pub(super) async fn place(&mut self) -> Result<ServerLocation, Failure> {
        let found = place(&mut self.connection).await;
        // Preparing is a transaction too.
        self.own += 2;
        found
    }

    /// The counters as currently published.
    pub(super) async fn read(&mut self) -> Result<Counters, Failure> {
        let rows = self.connection.query(&self.counters, &[]).await?;
        self.own += 1;
        let Some(row) = rows.rows.first() else { return Ok(Counters::new()) };
        let pair = |(name, value): (&String, &Value)| match value {
            Value::Float(value) => Some((name.clone(), *value)),
            _ => None,
        };
        Ok(rows.columns.iter().zip(row).filter_map(pair).collect())
    }

    /// The run's sessions by state.
    pub(super) async fn sample(&mut self) -> Result<BTreeMap<String, u64>, Failure> {
        self.sample_of(self.applications.clone()).await
    }

    /// Sessions with one of these names, by state.
    async fn sample_of(&mut self, names: String) -> Result<BTreeMap<String, u64>, Failure> {
        let applications = Value::Text(names);
        let rows = self.connection.query(&self.waits, &[applications]).await?;
        self.own += 1;
        let pair = |row: &Vec<Value>| match &row[..] {
            [Value::Text(class), Value::Int(count)] => Some((class.clone(), count.unsigned_abs())),
            _ => None,
        };
        Ok(rows.rows.iter().filter_map(pair).collect())
    }

    /// Counters that include all earlier work of the observer, and what others have published.
    pub(super) async fn totals(&mut self) -> Result<Totals, Failure> {
        if self.version < FLUSHES {
            tokio::time::sleep(PUBLISHED / 2).await;
        }
        self.connection.query(&self.flush, &[]).await?;
        self.own += 1;
        let own = self.own;
        Ok(Totals { counters: self.read().await?, own })
    }

    /// Counters that include the whole run. Waits up to `patience` for its sessions to end.
    pub(super) async fn settled(&mut self, patience: Duration) -> Result<Totals, Failure> {
        let are_gone = !self.applications.is_empty()
            && self.until_gone(&self.applications.clone(), patience).await?;
        let mut last = self.totals().await?;
        if are_gone && self.version >= FLUSHES {
            return Ok(last);
        }
        for _ in 1..READINGS {
            tokio::time::sleep(PUBLISHED).await;
            let next = self.totals().await?;
            if next.agrees(&last) {
                return Ok(next);
            }
            last = next;
        }
        Ok(last)
    }

    /// Waits until no session has one of these names; returns whether that happened.
    async fn until_gone(&mut self, names: &str, patience: Duration) -> Result<bool, Failure> {
        let until = Instant::now() + patience;
        loop {
            if self.sample_of(names.to_owned()).await?.is_empty() {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// The number of transactions that a session of the workload commits before its first turn:
    /// connecting, its name, prepared statements. One session is opened and closed to count them.
    pub(super) async fn cost_of_session(&mut self, workload: &dyn Workload) -> Result<f64, Failed> {
        // A session that prepared the run publishes its commits when it ends, which may be after it was closed here.
        let earlier = SESSIONS.map(str::to_owned).into_iter();
        let names: Vec<String> = earlier.chain([self.applications.clone()]).collect();
        self.until_gone(&names.join(SEPARATOR), LEAVING).await?;
        let before = self.totals().await?;
        drop(workload.open(0).await?);
        let after = self.settled(LEAVING).await?;
        let came = difference(&after.counters, &before.counters, "sessions").unwrap_or(1.0);
        Ok(((after.commits() - before.commits()) / came.max(1.0)).round().max(0.0))
    }
}

impl Group {
    /// The processes of the target's PostgreSQL server, if they are on this machine.
    pub async fn of_database(target: &ConnectOptions) -> Option<Self> {
        if !matches!(target, ConnectOptions::Postgres(_)) {
            return None;
        }
        let mut connection = Connection::open(target, NAME).await.ok()?;
        let found = place(&mut connection).await;
        connection.close().await;
        Some(Self::with_backends(found.ok()?.process?))
    }
}

/// The location of a server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerLocation {
    /// Whether it is this machine, by the addresses of a connection.
    pub(super) is_here: bool,
    /// Its first process, if it is visible.
    pub(super) process: Option<u32>,
}

async fn place(connection: &mut Connection) -> Result<ServerLocation, Failure> {
    let sql = "SELECT pg_backend_pid(), \
        (inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr())::int";
    let rows = connection.ask(sql, &[]).await?;
    if rows.first_int(1) != Some(1) {
        return Ok(ServerLocation::default());
    }
    let own = rows.first_int(0).and_then(|id| u32::try_from(id).ok());
    // A tunnel also appears local: check that the process is PostgreSQL.
    let is_server = |id: &u32| processes::program(*id).as_deref() == Some("postgres");
    let first = own.filter(is_server).and_then(processes::parent);
    Ok(ServerLocation { is_here: true, process: first.filter(is_server) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_agree_where_nothing_changed() {
        let reading =
            |commits, own| Totals { counters: [("xact_commit".to_owned(), commits)].into(), own };
        assert!(reading(100.0, 10).agrees(&reading(104.0, 14)));
        assert!(!reading(100.0, 10).agrees(&reading(110.0, 14)));
    }
}
