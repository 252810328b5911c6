//! A database of one test: a SQLite file, or a database of the shared throwaway PostgreSQL.

use std::path::Path;
use std::sync::Arc;

use duet_db::migrate::{self, Indexes, Prepared};
use duet_db::postgres::connect;
use duet_db::{Limits, SharedStore, idempotency, journal, postgres, sqlite};
use duet_model::CollectionTable;
use duet_testkit::postgres::{Database as PostgresDatabase, Server};
use duet_testkit::sqlite::Folder;

/// A database, and how to change it behind the server's back.
pub(crate) enum Database {
    Sqlite(Folder),
    Postgres(PostgresDatabase),
}

impl Database {
    /// An empty file, with write-ahead logging as most are.
    pub(crate) fn sqlite() -> Self {
        let folder = Folder::new();
        folder.load(FILE, &["PRAGMA journal_mode = wal"]);
        Self::Sqlite(folder)
    }

    /// An empty file with a rollback journal.
    pub(crate) fn sqlite_rollback() -> Self {
        let folder = Folder::new();
        folder.load(FILE, &["PRAGMA journal_mode = delete"]);
        Self::Sqlite(folder)
    }

    /// An empty database of the shared server.
    pub(crate) fn postgres(name: &str) -> Self {
        let name: String = name.chars().rev().take(60).collect();
        Self::Postgres(Server::shared().database(&name))
    }

    /// Runs statements on a connection of their own.
    pub(crate) fn exec(&self, sql: &str) {
        match self {
            Self::Sqlite(folder) => {
                let connection = duet_testkit::sqlite::open(&folder.path().join(FILE));
                connection.busy_timeout(super::PATIENCE).unwrap();
                connection.execute_batch(sql).unwrap_or_else(|error| panic!("{error} in {sql}"));
            }
            Self::Postgres(database) => database.exec(sql),
        }
    }

    /// The only number that a query gives.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(_) => {
                let connection = duet_testkit::sqlite::open(&self.file());
                connection.busy_timeout(super::PATIENCE).unwrap();
                connection.query_row(sql, [], |row| row.get(0)).unwrap()
            }
            Self::Postgres(database) => database.query(sql).parse().unwrap(),
        }
    }

    /// Makes the table of idempotency keys, as `duet service prepare` does.
    pub(crate) fn prepare_keys(&self) -> bool {
        match self {
            Self::Sqlite(_) => idempotency::prepare_sqlite(&self.file()).unwrap(),
            Self::Postgres(database) => {
                let settings =
                    connect::Settings::from_url(&database.url(), &|_: &str| None).unwrap();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(idempotency::prepare_postgres(&settings)).unwrap()
            }
        }
    }

    /// Makes the tables of the journal, as `duet journal prepare` does.
    pub(crate) fn prepare_journal(&self) -> bool {
        match self {
            Self::Sqlite(_) => journal::prepare_sqlite(&self.file()).unwrap(),
            Self::Postgres(database) => {
                let settings =
                    connect::Settings::from_url(&database.url(), &|_: &str| None).unwrap();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(journal::prepare_postgres(&settings)).unwrap()
            }
        }
    }

    /// Makes the tables of collections, as `duet collection prepare` does.
    pub(crate) fn prepare_collections(&self, tables: Vec<CollectionTable>) -> Prepared {
        match self {
            Self::Sqlite(_) => {
                migrate::prepare_sqlite(&self.file(), tables, Indexes::Declared).unwrap()
            }
            Self::Postgres(database) => {
                let settings =
                    connect::Settings::from_url(&database.url(), &|_: &str| None).unwrap();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let prepared = migrate::prepare_postgres(&settings, tables, Indexes::Declared);
                runtime.unwrap().block_on(prepared).unwrap()
            }
        }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// The file of a SQLite database.
    pub(crate) fn file(&self) -> std::path::PathBuf {
        match self {
            Self::Sqlite(folder) => folder.path().join(FILE),
            Self::Postgres(_) => panic!("not a file"),
        }
    }

    /// What the server opens.
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Sqlite(_) => Source::File(self.file()),
            Self::Postgres(database) => Source::Url(database.url()),
        }
    }
}

const FILE: &str = "test.db";

/// Where a store is.
#[derive(Clone)]
pub(crate) enum Source {
    File(std::path::PathBuf),
    Url(String),
}

impl Source {
    pub(super) async fn open(&self, limits: Limits) -> duet_model::Result<SharedStore> {
        Ok(match self {
            Self::File(path) => Arc::new(open_file(path, limits)?),
            Self::Url(url) => {
                let settings = connect::Settings::from_url(url, &|_: &str| None)?;
                Arc::new(postgres::Database::open(settings, limits).await?)
            }
        })
    }
}

fn open_file(path: &Path, limits: Limits) -> duet_model::Result<sqlite::Database> {
    sqlite::Database::open(path, &sqlite::Options::default(), limits)
}
