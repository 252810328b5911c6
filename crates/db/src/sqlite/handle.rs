//! A worker's hold on a SQLite file.
//!
//! Reads by key are batched naturally here too: whoever is ready in one turn of the worker's event
//! loop is read in one transaction, begun after all of them have arrived. That saves SQLite's
//! locks, and nobody sees a snapshot older than the request.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use duet_model::{Code, Error, Result, Value};
use foldhash::fast::RandomState;
use rusqlite::{Connection, Statement};
use tokio::sync::{Notify, oneshot};

use crate::read::{Answer, KeyedRead, PageRead};
use crate::sqlite::database::{Database, error_of};
use crate::sqlite::run;
use crate::sqlite::version::Version;

/// A worker's own connection, and the way to the reader threads.
#[derive(Debug)]
pub struct Handle {
    database: Arc<Database>,
    queue: Rc<Queue>,
    /// Taken by the task that reads, when the first request comes.
    connection: RefCell<Option<Connection>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: RefCell<Vec<Waiting>>,
    arrived: Notify,
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

    /// Reads on this thread; where another program's lock is in the way, a reader thread waits
    /// for it instead, so that this worker goes on. Must run inside a local task set.
    pub(crate) async fn by_key(&self, read: &Arc<KeyedRead>, key: Vec<Value>) -> Result<Answer> {
        if let Some(connection) = self.connection.borrow_mut().take() {
            let (database, queue) = (Arc::clone(&self.database), Rc::clone(&self.queue));
            tokio::task::spawn_local(serve(database, connection, queue));
        }
        let (reply, answer) = oneshot::channel();
        self.queue
            .push(Waiting { read: Arc::clone(read), key: key.clone(), reply }, self.limit())?;
        match answer.await.map_err(|_| Error::internal("a batch has ended without an answer"))? {
            Err(error) if error.code == Code::DatabaseLocked => {
                let fetched = self.database.readers().by_key(&self.database, read, key).await?;
                let row = (!fetched.roots().is_empty()).then_some(0);
                Ok(Answer { fetched: Rc::new(fetched), row })
            }
            answer => answer,
        }
    }

    fn limit(&self) -> usize {
        self.database.limits().queue_length
    }

    pub(crate) async fn page(&self, read: PageRead) -> Result<(Answer, Option<u64>)> {
        let (fetched, count) = self.database.readers().page(&self.database, read).await?;
        Ok((Answer { fetched: Rc::new(fetched), row: None }, count))
    }
}

impl Queue {
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

/// The statements of the reads that this worker has seen, by the read's id.
type Statements<'c> = HashMap<u64, Vec<Statement<'c>>, RandomState>;

/// How many reads keep their statements; beyond it all are forgotten once.
const READS: usize = 500;

/// Reads for whoever waits, until the worker ends.
async fn serve(database: Arc<Database>, connection: Connection, queue: Rc<Queue>) {
    let version = Version::default();
    let mut statements = Statements::default();
    let most = database.limits().batch.max(1);
    loop {
        let batch = queue.take(most);
        if batch.is_empty() {
            if Rc::strong_count(&queue) == 1 {
                return;
            }
            queue.arrived.notified().await;
            continue;
        }
        // Alone, the open statement is the transaction.
        let begun = batch.len() > 1 && connection.execute_batch("BEGIN").is_ok();
        for waiting in batch {
            if waiting.reply.is_closed() {
                continue;
            }
            let answer = read_one(&database, &connection, &mut statements, &version, &waiting);
            // Whoever has gone meanwhile needs no answer.
            let _ = waiting.reply.send(answer);
        }
        if begun && connection.execute_batch("COMMIT").is_err() {
            roll_back(&connection);
        }
        tokio::task::yield_now().await;
    }
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
    if statements.len() > READS {
        statements.clear();
    }
    let mut run = || -> rusqlite::Result<Result<Answer>> {
        let prepared = match statements.entry(read.id) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(run::prepare(connection, read)?)
            }
        };
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
