//! Reader threads: pages and everything else that may take long.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use duet_document::Fetched;
use duet_model::{Code, Error, Result, Value};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::read::{KeyedRead, PageRead};
use crate::sqlite::database::{Database, connect, error_of};
use crate::sqlite::run;
use crate::sqlite::version::Version;
use crate::store::Limits;

/// How long a reader waits for another program's lock.
const BUSY: Duration = Duration::from_secs(5);
/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS_PER_CHECK: i32 = 1_000;

type Job = Box<dyn FnOnce(&Connection, &Version) + Send>;

/// The threads, started when first needed.
pub(crate) struct Readers {
    path: PathBuf,
    count: usize,
    timeout: Duration,
    sender: SyncSender<Job>,
    receiver: Arc<Mutex<Receiver<Job>>>,
    started: Mutex<usize>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers")
            .field("path", &self.path)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl Readers {
    pub(crate) fn new(path: PathBuf, limits: &Limits) -> Self {
        let (sender, receiver) = sync_channel(limits.queue_length.max(1));
        Self {
            path,
            count: limits.connections.max(1),
            timeout: limits.statement_timeout,
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            started: Mutex::new(0),
        }
    }

    pub(crate) async fn by_key(
        &self,
        database: &Arc<Database>,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Fetched> {
        let (database, read) = (Arc::clone(database), Arc::clone(read));
        self.run(move |connection, version| {
            let limit = database.limits().answer_bytes;
            let run = || {
                let mut prepared = run::prepare(connection, &read)?;
                let as_of = || version.as_of(&database, connection);
                run::by_key(&mut prepared, &read, &key, limit, as_of)
            };
            run().map_err(|error| error_of(&error))?
        })
        .await
    }

    pub(crate) async fn page(
        &self,
        database: &Arc<Database>,
        read: PageRead,
    ) -> Result<(Fetched, Option<u64>)> {
        let database = Arc::clone(database);
        self.run(move |connection, version| {
            let limit = database.limits().answer_bytes;
            run::page(connection, &read, limit, || version.as_of(&database, connection))
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Version) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.start_one()?;
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection, version| {
            // Nobody waits any more: the client has gone.
            if !reply.is_closed() {
                drop(reply.send(work(connection, version)));
            }
        });
        self.sender.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Error::new(
                Code::Overloaded,
                "Too many requests wait for the database. Try again in a moment.",
            )
            .retry_after(1),
            TrySendError::Disconnected(_) => Error::internal("the reader threads have stopped"),
        })?;
        answer.await.map_err(|_| Error::internal("a reader thread has stopped"))?
    }

    /// Starts a thread for each of the first requests, up to the number of connections.
    fn start_one(&self) -> Result<()> {
        let mut started = self.started.lock().map_err(Error::internal)?;
        if *started >= self.count {
            return Ok(());
        }
        let mut connection = connect(&self.path, BUSY)?;
        let receiver = Arc::clone(&self.receiver);
        let timeout = self.timeout;
        thread::Builder::new()
            .name(format!("sqlite-reader-{started}"))
            .spawn(move || serve(&mut connection, &receiver, timeout))
            .map_err(Error::internal)?;
        *started += 1;
        Ok(())
    }
}

fn serve(connection: &mut Connection, receiver: &Mutex<Receiver<Job>>, timeout: Duration) {
    let version = Version::default();
    loop {
        let next = match receiver.lock() {
            Ok(receiver) => receiver.recv(),
            Err(_) => return,
        };
        let Ok(job) = next else { return };
        let deadline = Instant::now() + timeout;
        let watched =
            connection.progress_handler(STEPS_PER_CHECK, Some(move || Instant::now() > deadline));
        if watched.is_ok() {
            job(connection, &version);
        }
    }
}
