//! A lock that keeps a server from writing, while its database can be read.

use std::thread::JoinHandle;
use std::time::Duration;

use super::{Database, eventually};

/// Holds the lock until it is released.
pub(crate) struct Held {
    sqlite: Option<rusqlite::Connection>,
    postgres: Option<JoinHandle<()>>,
}

impl Held {
    /// Locks the whole file of SQLite, and this table of PostgreSQL, whose name has its schema.
    pub(crate) fn new(database: &Database, table: &str) -> Self {
        if database.is_sqlite() {
            let other = duet_testkit::sqlite::open(&database.file());
            other.busy_timeout(Duration::from_secs(20)).unwrap();
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
            return Self { sqlite: Some(other), postgres: None };
        }
        let Database::Postgres(server) = database else { unreachable!() };
        let url = server.url();
        let script = format!(
            "SET application_name = 'held'; BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE; SELECT pg_sleep(600)"
        );
        let holder = std::thread::spawn(move || {
            // Ended by `release`.
            let ended = std::process::Command::new("psql").args([&url, "-c", &script]).output();
            drop(ended);
        });
        let locked = format!(
            "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND granted \
             AND relation = '{table}'::regclass"
        );
        eventually("the table is locked", || database.count(&locked) == 1);
        Self { sqlite: None, postgres: Some(holder) }
    }

    pub(crate) fn release(self, database: &Database) {
        if let Some(other) = self.sqlite {
            other.execute_batch("COMMIT").unwrap();
        }
        if let Some(holder) = self.postgres {
            let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                       WHERE application_name = 'held' AND datname = current_database()";
            database.count(end);
            holder.join().unwrap();
        }
    }
}
