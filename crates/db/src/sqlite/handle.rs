//! A worker's hold on a SQLite file.
//!
//! Reads by key are batched naturally here too: whoever is ready in one turn of the worker's event
//! loop is read in one transaction, begun after all of them have arrived. That saves SQLite's
//! locks, and nobody sees a snapshot older than the request.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use duet_document::{Fetched, RowSet};
use duet_model::{Code, Error, Result, Value};
use foldhash::fast::RandomState;
use rusqlite::Connection;
use tokio::sync::{Notify, oneshot};

use crate::insert::{InsertBatch, InsertOne};
use crate::read::{Answer, KeyedRead, PageRead};
use crate::sqlite::database::{Database, Opened};
use crate::sqlite::failure::error_of;
use crate::sqlite::run::{self, Statements};
use crate::sqlite::stream::StreamRows;
use crate::sqlite::version::Version;
use crate::statistics::Statistics;
use crate::store::Limits;
use crate::write::Write;

/// A worker's own connection, and the way to the reader threads.
#[derive(Debug)]
pub struct Handle {
    database: Arc<Database>,
    queue: Rc<Queue>,
    /// Taken by the task that reads, when the first request comes.
    connection: RefCell<Option<Opened>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: RefCell<Vec<Waiting>>,
    arrived: Notify,
    /// Reads that lately took too long for a worker's thread, and when.
    slow: RefCell<HashMap<u64, Instant, RandomState>>,
}

#[derive(Debug)]
struct Waiting {
    read: Arc<KeyedRead>,
    key: Vec<Value>,
    reply: oneshot::Sender<Result<Answer>>,
}

impl Handle {
    pub(crate) fn attach(database: &Arc<Database>) -> Result<Self> {
        Ok(Self {
            connection: RefCell::new(Some(database.connect()?)),
            database: Arc::clone(database),
            queue: Rc::default(),
        })
    }

    /// Reads on this thread; where another program's lock is in the way or it takes long, a reader
    /// thread does it instead, so that this worker goes on. Must run inside a local task set.
    pub(crate) async fn by_key(&self, read: &Arc<KeyedRead>, key: Vec<Value>) -> Result<Answer> {
        if let Some(connection) = self.connection.borrow_mut().take() {
            let (database, queue) = (Arc::clone(&self.database), Rc::clone(&self.queue));
            tokio::task::spawn_local(serve(database, connection, queue));
        }
        let (reply, answer) = oneshot::channel();
        self.queue
            .push(Waiting { read: Arc::clone(read), key: key.clone(), reply }, self.limit())?;
        match answer.await.map_err(|_| Error::internal("a batch has ended without an answer"))? {
            Err(error) if matches!(error.code, Code::DatabaseLocked | Code::Timeout) => {
                let fetched = self.database.readers().by_key(&self.database, read, key).await?;
                let row = (!fetched.roots().is_empty()).then_some(0);
                Ok(Answer { fetched: Rc::new(fetched), row })
            }
            answer => answer,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.database.limits()
    }

    fn limit(&self) -> usize {
        self.database.limits().queue_length
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        self.database.statistics()
    }

    pub(crate) async fn write<W: Write>(&self, work: Arc<W>) -> Result<W::Output> {
        self.database.writer().write(&self.database, work).await
    }

    /// Inserts one row; it shares its transaction, not its statement.
    pub(crate) async fn insert(
        &self,
        insert: &Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> Result<Answer> {
        insert.check(&row)?;
        let rows = self.write(Arc::new(InsertOne(insert.call(row)))).await?;
        let set = rows.unwrap_or_else(|| RowSet::new(insert.codecs.len()));
        let row = (!set.is_empty()).then_some(0);
        let as_of = if insert.plan.shape.metadata { self.database.changes(true) } else { 0 };
        let fetched = Fetched::assemble(&insert.plan, vec![set], as_of, |_, _, _| None);
        Ok(Answer { fetched: Rc::new(fetched), row })
    }

    pub(crate) async fn page(&self, read: PageRead) -> Result<(Answer, Option<u64>)> {
        let (fetched, count) = self.database.readers().page(&self.database, read).await?;
        Ok((Answer { fetched: Rc::new(fetched), row: None }, count))
    }
}

impl Handle {
    pub(crate) async fn stream(&self, read: PageRead) -> Result<(StreamRows, Duration)> {
        let rows = self.database.streams().open(&self.database, read).await?;
        Ok((rows, self.database.limits().stream_timeout))
    }
}

impl Queue {
    /// Whether a read has lately taken too long.
    fn is_slow(&self, read: u64) -> bool {
        let mut slow = self.slow.borrow_mut();
        if slow.is_empty() {
            return false;
        }
        slow.retain(|_, since| since.elapsed() < AVOIDED);
        slow.contains_key(&read)
    }

    fn push(&self, waiting: Waiting, limit: usize) -> Result<()> {
        let mut queue = self.waiting.borrow_mut();
        if queue.len() >= limit {
            return Err(Error::new(
                Code::Overloaded,
                "Too many requests wait for the database. Try again in a moment.",
            )
            .retry_after(1));
        }
        queue.push(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    /// Those who wait, up to so many.
    fn take(&self, most: usize) -> Vec<Waiting> {
        let mut queue = self.waiting.borrow_mut();
        let rest = if queue.len() > most { queue.split_off(most) } else { Vec::new() };
        std::mem::replace(&mut *queue, rest)
    }
}

/// How long a read may keep a worker's thread, and how long one that took longer is not tried
/// there again.
const SLICE: Duration = Duration::from_millis(20);
const AVOIDED: Duration = Duration::from_secs(1);
/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS_PER_CHECK: i32 = 1_000;

/// Reads for whoever waits, until the worker ends.
async fn serve(database: Arc<Database>, opened: Opened, queue: Rc<Queue>) {
    let mut opened: Result<Opened> = Ok(opened);
    while Rc::strong_count(&queue) > 1 {
        match &mut opened {
            Ok(opened) => serve_from(&database, opened, &queue).await,
            Err(error) => {
                for waiting in queue.take(usize::MAX) {
                    // Whoever has gone meanwhile needs no answer.
                    let _ = waiting.reply.send(Err(error.clone()));
                }
                queue.arrived.notified().await;
            }
        }
        opened = database.connect();
    }
}

/// Reads from one file, until another is in its place.
async fn serve_from(database: &Database, connection: &mut Opened, queue: &Rc<Queue>) {
    let version = Version::default();
    let mut statements = Statements::default();
    let slice = Arc::new(Slice::new());
    let over = Arc::clone(&slice);
    let watched = connection.progress_handler(STEPS_PER_CHECK, Some(move || over.is_over()));
    let connection = &*connection;
    let (Ok(()), Ok(mut begin), Ok(mut commit)) =
        (watched, connection.prepare("BEGIN"), connection.prepare("COMMIT"))
    else {
        return;
    };
    let most = database.limits().batch.max(1);
    while database.is_current(connection) {
        let batch = queue.take(most);
        if batch.is_empty() {
            if Rc::strong_count(queue) == 1 {
                return;
            }
            queue.arrived.notified().await;
            continue;
        }
        database.statistics().batch(batch.len());
        // Alone, the open statement is the transaction.
        let begun = batch.len() > 1 && begin.raw_execute().is_ok();
        for waiting in batch {
            if waiting.reply.is_closed() {
                continue;
            }
            let answer = if queue.is_slow(waiting.read.id) {
                Err(takes_long())
            } else {
                slice.begin();
                read_one(database, connection, &mut statements, &version, &waiting)
            };
            if answer.as_ref().is_err_and(|error| error.code == Code::Timeout) {
                queue.slow.borrow_mut().entry(waiting.read.id).or_insert_with(Instant::now);
            }
            // Whoever has gone meanwhile needs no answer.
            let _ = waiting.reply.send(answer);
        }
        if begun && commit.raw_execute().is_err() {
            roll_back(connection);
        }
        tokio::task::yield_now().await;
    }
}

/// The time that a read may take on a worker's thread. It begins when SQLite first asks: most
/// reads are over before that.
#[derive(Debug)]
struct Slice {
    base: Instant,
    /// Microseconds from the base, 0 for not yet.
    begun: AtomicU64,
}

impl Slice {
    fn new() -> Self {
        Self { base: Instant::now(), begun: AtomicU64::new(0) }
    }

    fn begin(&self) {
        self.begun.store(0, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let now = micros(self.base.elapsed()).max(1);
        match self.begun.load(Ordering::Relaxed) {
            0 => {
                self.begun.store(now, Ordering::Relaxed);
                false
            }
            begun => now - begun > micros(SLICE),
        }
    }
}

/// Tells the caller to ask a reader thread.
fn takes_long() -> Error {
    Error::new(Code::Timeout, "This takes too long for a worker.")
}

/// A failed `COMMIT` of a read leaves the transaction open; nothing is lost by rolling it back.
fn roll_back(connection: &Connection) {
    drop(connection.execute_batch("ROLLBACK"));
}

fn read_one<'c>(
    database: &Database,
    connection: &'c Connection,
    statements: &mut Statements<'c>,
    version: &Version,
    waiting: &Waiting,
) -> Result<Answer> {
    let read = &waiting.read;
    let mut run = || -> rusqlite::Result<Result<Answer>> {
        let prepared = statements.of(connection, read)?;
        let limit = database.limits().answer_bytes;
        let as_of = || version.as_of(database, connection);
        let fetched = run::by_key(prepared, read, &waiting.key, limit, as_of)?;
        Ok(fetched.map(|fetched| {
            let row = (!fetched.roots().is_empty()).then_some(0);
            Answer { fetched: Rc::new(fetched), row }
        }))
    };
    run().map_err(|error| error_of(&error))?
}
