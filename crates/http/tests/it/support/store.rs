//! A database of one test: a SQLite file, or a database of the shared throwaway PostgreSQL.

use std::path::Path;
use std::sync::Arc;

use duet_client::connect;
use duet_model::CollectionTable;
use duet_registry::DatabaseUrl;
use duet_store::setup::migrate::{Indexes, MadeObjects};
use duet_store::{Limits, OwnPart, SharedStore};
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

    /// The same where every table is distributed over machines, as far as the catalog says.
    pub(crate) fn distributed(name: &str) -> Self {
        let database = Self::postgres(name);
        database.exec(&duet_testkit::citus::every_table());
        database
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
        self.make_own(OwnPart::Keys)
    }

    /// Makes the tables of the journal, as `duet journal prepare` does.
    pub(crate) fn prepare_journal(&self) -> bool {
        self.make_own(OwnPart::Journal)
    }

    fn make_own(&self, part: OwnPart) -> bool {
        block_on(self.location().make_own(part))
    }

    /// Makes the tables of collections, as `duet collection prepare` does.
    pub(crate) fn prepare_collections(&self, tables: Vec<CollectionTable>) -> MadeObjects {
        block_on(self.location().prepare_collections(tables, Indexes::Declared))
    }

    /// The database as commands name it.
    fn location(&self) -> DatabaseUrl {
        match self {
            Self::Sqlite(_) => DatabaseUrl::file(self.file()).unwrap(),
            Self::Postgres(database) => DatabaseUrl::read(&database.url(), Path::new("")).unwrap(),
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

fn block_on<T>(work: impl Future<Output = duet_model::Result<T>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(work).unwrap()
}

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
                Arc::new(duet_postgres::Database::open(settings, limits).await?)
            }
        })
    }
}

fn open_file(path: &Path, limits: Limits) -> duet_model::Result<duet_sqlite::Database> {
    duet_sqlite::Database::open(path, &duet_sqlite::Options::default(), limits)
}
