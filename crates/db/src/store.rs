//! One database behind its driver, and a worker's hold on it.

use std::sync::Arc;
use std::time::Duration;

use duet_model::{Catalog, Code, Error, Result, Value};
use duet_sql::Dialect;

use crate::insert::InsertBatch;
use crate::read::{Answer, KeyedRead, PageRead};
use crate::statistics::{Counted, Statistics};
use crate::stream::{Rows, Stream};
use crate::write::Write;
use crate::{postgres, sqlite};

/// What a store may use and how long things may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections to the database, all workers together.
    pub connections: usize,
    /// How many workers share them.
    pub workers: usize,
    /// How long a statement may run.
    pub statement_timeout: Duration,
    /// How long a write may wait for a lock of another one, or of another program.
    pub lock_timeout: Duration,
    /// How long a request may wait for a connection.
    pub queue_timeout: Duration,
    /// How many requests may wait for the database, per worker.
    pub queue_length: usize,
    /// How many documents one statement may read by key.
    pub batch: usize,
    /// How many bytes of rows one answer may hold.
    pub answer_bytes: usize,
    /// Streams at once, all workers together; each has a connection of its own.
    pub streams: usize,
    /// How long a stream may take, the time that its client takes included.
    pub stream_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 20,
            workers: 1,
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(5),
            queue_timeout: Duration::from_secs(5),
            queue_length: 20_000,
            batch: 256,
            answer_bytes: 64 << 20,
            streams: 4,
            stream_timeout: Duration::from_secs(3600),
        }
    }
}

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

    /// A number that changes when the schema does; cheap enough to ask every second.
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

    /// Whether the database answers, for health checks.
    ///
    /// # Errors
    /// Where it does not.
    pub async fn ping(&self) -> Result<()> {
        self.schema_version().await.map(|_| ())
    }

    /// What the store has done so far.
    pub fn counted(&self) -> Counted {
        match self {
            Self::Sqlite(database) => database.statistics().counted(),
            Self::Postgres(database) => database.statistics().counted(),
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
    /// Where a SQLite file cannot be opened. PostgreSQL connects when it is first asked.
    pub fn attach(&self) -> Result<Handle> {
        Ok(match self {
            Self::Sqlite(database) => Handle::Sqlite(sqlite::Handle::attach(database)?),
            Self::Postgres(database) => Handle::Postgres(postgres::Handle::attach(database)),
        })
    }
}

/// Runs what may wait for a lock of the file where it stops nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
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
    /// Reads one document by its key, together with whoever else asks for the same kind.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub async fn by_key(&self, read: &Arc<KeyedRead>, key: Vec<Value>) -> Result<Answer> {
        self.counting(match self {
            Self::Sqlite(handle) => handle.by_key(read, key).await,
            Self::Postgres(handle) => handle.by_key(read, key).await,
        })
    }

    /// Reads a page, all levels in one snapshot, with the exact total where the read has a
    /// count.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub async fn page(&self, read: PageRead) -> Result<(Answer, Option<u64>)> {
        self.statistics().page();
        self.counting(match self {
            Self::Sqlite(handle) => handle.page(read).await,
            Self::Postgres(handle) => handle.page(read).await,
        })
    }

    /// Runs a write in a transaction, and again after a deadlock or where the connection is lost
    /// before the transaction is complete. On SQLite it shares a transaction with the writes that
    /// wait with it, and no effect of one reaches another's.
    ///
    /// # Errors
    /// What the write or the database says, mapped to a code; nothing has changed then, except
    /// where the code is [`Code::OutcomeUnknown`].
    pub async fn write<W: Write>(&self, work: Arc<W>) -> Result<W::Output> {
        self.counting(match self {
            Self::Sqlite(handle) => handle.write(work).await,
            Self::Postgres(handle) => handle.write(work).await,
        })
    }

    /// Inserts one row in a transaction of its own, together with whoever else inserts rows of the
    /// same kind at that moment; the answer is the row as it is then read. Values come in the order
    /// of the insert's columns.
    ///
    /// # Errors
    /// As [`Handle::write`]; one row's error reaches no other.
    pub async fn insert(&self, insert: &Arc<InsertBatch>, row: Vec<Value>) -> Result<Answer> {
        self.counting(match self {
            Self::Sqlite(handle) => handle.insert(insert, row).await,
            Self::Postgres(handle) => handle.insert(insert, row).await,
        })
    }

    /// Begins to read all documents of a page without end, in one snapshot.
    ///
    /// # Errors
    /// Whatever the database says before the first row, mapped to a code.
    pub async fn stream(&self, read: PageRead) -> Result<Stream> {
        self.statistics().stream();
        let opened = match self {
            Self::Sqlite(handle) => {
                handle.stream(read).await.map(|(rows, timeout)| (Rows::Sqlite(rows), timeout))
            }
            Self::Postgres(handle) => handle
                .stream(read)
                .await
                .map(|(rows, timeout)| (Rows::Postgres(Box::new(rows)), timeout)),
        };
        self.counting(opened).map(|(rows, timeout)| Stream::new(rows, timeout))
    }

    fn statistics(&self) -> &Statistics {
        match self {
            Self::Sqlite(handle) => handle.statistics(),
            Self::Postgres(handle) => handle.statistics(),
        }
    }

    /// Counts a refusal for want of room.
    fn counting<T>(&self, result: Result<T>) -> Result<T> {
        if result.as_ref().is_err_and(|error| error.code == Code::Overloaded) {
            self.statistics().overload();
        }
        result
    }

    /// Forgets what belongs to reads of an older snapshot of the catalog.
    pub fn forget(&self) {
        if let Self::Postgres(handle) = self {
            handle.forget();
        }
    }
}

/// The error for an answer above the limit.
pub(crate) fn too_large(limit: usize) -> Error {
    Error::new(
        Code::AnswerTooLarge,
        format!(
            "The answer would hold more than {} MiB. Ask for fewer items with `limit`, or fewer members with `fields`.",
            limit >> 20
        ),
    )
}
