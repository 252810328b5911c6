//! One database behind its driver, and a worker's hold on it.

use std::sync::Arc;

use duet_admission::Counted as QueueCounted;
use duet_auth::DbRole;
use duet_model::{Catalog, Code, Error, Result};
use duet_sql::{Dialect, Statement};
use tokio::sync::oneshot;

use crate::admit::{POSTGRES_QUEUES, SQLITE_QUEUES};
use crate::commits::Commits;
use crate::describe::Described;
use crate::freshness::Freshness;
use crate::statistics::{Counted, Statistics};
use crate::{postgres, sqlite};

/// One database, shared by all workers.
#[derive(Clone, Debug)]
pub enum Store {
    /// A SQLite file, in this process.
    Sqlite(Arc<sqlite::Database>),
    /// A PostgreSQL server.
    Postgres(Arc<postgres::Database>),
}

impl Store {
    /// The store's SQL.
    pub fn dialect(&self) -> &dyn Dialect {
        match self {
            Self::Sqlite(_) => &duet_sql::Sqlite,
            Self::Postgres(database) => database.dialect(),
        }
    }

    /// The name of the kind of store, as files of applications have it: `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// Whether both are the same database, with the same connections.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sqlite(one), Self::Sqlite(other)) => Arc::ptr_eq(one, other),
            (Self::Postgres(one), Self::Postgres(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The catalog as of a version of the schema. On PostgreSQL it is read once for all who ask for the same
    /// version, such as tenants of one database.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    pub async fn introspect_at(&self, version: u64) -> Result<Arc<Catalog>> {
        match self {
            Self::Sqlite(_) => self.introspect().await.map(Arc::new),
            Self::Postgres(database) => database.introspect_at(version).await,
        }
    }

    /// Reads the catalog, in one snapshot.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    pub async fn introspect(&self) -> Result<Catalog> {
        match self {
            Self::Sqlite(database) => {
                let database = Arc::clone(database);
                blocking(move || database.introspect()).await
            }
            Self::Postgres(database) => database.introspect().await,
        }
    }

    /// A number that changes when the schema does.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    pub async fn schema_version(&self) -> Result<u64> {
        match self {
            Self::Sqlite(database) => {
                let database = Arc::clone(database);
                blocking(move || database.schema_version()).await
            }
            Self::Postgres(database) => database.schema_version().await,
        }
    }

    /// The same, cheap enough to ask every second; a change may be noticed some seconds late.
    ///
    /// # Errors
    /// As [`Store::schema_version`].
    pub async fn glance_at_schema(&self) -> Result<u64> {
        self.count_look();
        match self {
            // Two bytes of the file's header.
            Self::Sqlite(_) => self.schema_version().await,
            Self::Postgres(database) => database.glance_at_schema().await,
        }
    }

    /// The consumers of its commits.
    pub fn commits(&self) -> &Commits {
        match self {
            Self::Sqlite(database) => database.commits(),
            Self::Postgres(database) => database.commits(),
        }
    }

    /// Begins to deliver commits of others as events of [`Cause::Foreign`](duet_model::commit::Cause), or
    /// ends it. On SQLite they are seen within a moment, as long as the writing thread is not kept waiting
    /// by another program's lock. On PostgreSQL they are captured where the server allows it:
    /// [`Store::freshness`] says how far.
    ///
    /// # Errors
    /// Where a thread cannot be started.
    pub async fn watch_commits(&self, on: bool) -> Result<()> {
        match self {
            Self::Sqlite(database) => database.watch_commits(on).await,
            Self::Postgres(database) => database.changes().set(on).await,
        }
    }

    /// The catalog by whose relations the rows of others' commits are named from now on.
    pub fn describe_changes(&self, catalog: &Arc<Catalog>) {
        if let Self::Postgres(database) = self {
            database.changes().describe(catalog);
        }
    }

    /// How far the commits of others are known; `None` where they are not captured on this kind of store.
    pub fn freshness(&self) -> Option<&Arc<Freshness>> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(database) => Some(database.freshness()),
        }
    }

    fn count_look(&self) {
        match self {
            Self::Sqlite(database) => database.statistics().looked_at_schema(),
            Self::Postgres(database) => database.statistics().looked_at_schema(),
        }
    }

    /// Whether the database takes no writes, because it is a standby or a file that cannot be written, as of the last
    /// look.
    pub fn is_standby(&self) -> bool {
        match self {
            Self::Sqlite(database) => database.is_read_only(),
            Self::Postgres(database) => database.is_standby(),
        }
    }

    /// Whether the database can be read and written, for health checks; cheap enough to ask every
    /// second.
    ///
    /// # Errors
    /// Why not, in words for the operator.
    pub async fn probe(&self) -> Result<()> {
        match self {
            Self::Sqlite(database) => {
                let database = Arc::clone(database);
                blocking(move || database.probe()).await
            }
            // The look at its schema, about every second, has just reached it.
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Whether a role of the database exists and may be assumed.
    ///
    /// # Errors
    /// [`Code::RoleUnusable`] where it is not, in words for the operator; others where the database
    /// cannot be queried.
    pub async fn check_role(&self, role: &DbRole) -> Result<()> {
        match self {
            Self::Sqlite(_) => Err(Error::new(
                Code::RoleUnusable,
                format!("SQLite has no roles, so nothing can run under {:?}.", role.as_str()),
            )),
            Self::Postgres(database) => database.check_role(role).await,
        }
    }

    /// Whether a write transaction keeps all other writes waiting until its end.
    pub fn has_one_writer(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// The name of the database's user where it is a superuser, whom no privilege and no row security
    /// holds back. SQLite has no users.
    ///
    /// # Errors
    /// If the database cannot be queried.
    pub async fn superuser(&self) -> Result<Option<String>> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(database) => database.superuser().await,
        }
    }

    /// What the store has done so far.
    pub fn counted(&self) -> Counted {
        match self {
            Self::Sqlite(database) => database.statistics().counted(),
            Self::Postgres(database) => database.statistics().counted(),
        }
    }

    /// The counters of the queues in front of the database, by their name.
    pub fn queues(&self) -> Vec<(&'static str, QueueCounted)> {
        match self {
            Self::Sqlite(database) => database.queues().counted(&SQLITE_QUEUES),
            Self::Postgres(database) => database.queues().counted(&POSTGRES_QUEUES),
        }
    }

    /// How many bytes the rows of an answer may take.
    pub fn answer_bytes(&self) -> usize {
        match self {
            Self::Sqlite(database) => database.limits().answer_bytes,
            Self::Postgres(database) => database.limits().answer_bytes,
        }
    }

    /// What messages call the database; no secrets.
    pub fn describe(&self) -> String {
        match self {
            Self::Sqlite(database) => database.describe(),
            Self::Postgres(database) => database.describe(),
        }
    }

    /// A worker's hold on the store; stays on the calling thread, which runs a local task set.
    ///
    /// # Errors
    /// If a SQLite file cannot be opened. PostgreSQL connects at the first query.
    pub fn attach(&self) -> Result<Handle> {
        Ok(match self {
            Self::Sqlite(database) => Handle::Sqlite(sqlite::Handle::attach(database)?),
            Self::Postgres(database) => Handle::Postgres(postgres::Handle::attach(database)),
        })
    }

    /// Prepares statements and says what each gives; none of them is run.
    ///
    /// # Errors
    /// If the database cannot be queried. The mistake of a statement is in its element of the answer.
    pub async fn describe_statements(&self, statements: Vec<Statement>) -> Result<Vec<Described>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::Sqlite(database) => {
                let database = Arc::clone(database);
                blocking(move || database.describe_statements(&statements)).await
            }
            Self::Postgres(database) => database.describe_statements(&statements).await,
        }
    }
}

/// Runs work that may wait for a lock of the file where it blocks no request.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (reply, result) = oneshot::channel();
    // A caller that has gone needs no result.
    blocking_any(Box::new(move || drop(reply.send(work())))).await?;
    result.await.map_err(Error::internal)?
}

/// The same of any work: the code of tasks is there once.
async fn blocking_any(work: Box<dyn FnOnce() + Send>) -> Result<()> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

/// A worker's hold on a store.
#[derive(Debug)]
pub enum Handle {
    /// On SQLite.
    Sqlite(sqlite::Handle),
    /// On PostgreSQL.
    Postgres(postgres::Handle),
}

impl Handle {
    pub(crate) fn statistics(&self) -> &Statistics {
        match self {
            Self::Sqlite(handle) => handle.statistics(),
            Self::Postgres(handle) => handle.statistics(),
        }
    }

    /// Reads the schema now where the first request would otherwise wait for it: SQLite reads all of it on each
    /// connection.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn learn_schema(&self) -> Result<()> {
        match self {
            Self::Sqlite(handle) => handle.learn_schema(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Forgets what belongs to reads of an older snapshot of the catalog.
    pub fn forget(&self) {
        if let Self::Postgres(handle) = self {
            handle.forget();
        }
    }
}
