//! A small pool of connections for what is not batched: a connection each, taken from the pool,
//! given back when done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::postgres::database::Database;
use crate::postgres::lane::{Lane, Live};

/// The pool of one worker.
#[derive(Debug)]
pub(crate) struct Pool {
    database: Arc<Database>,
    free: RefCell<Vec<Rc<Lane>>>,
    permits: Arc<Semaphore>,
    waiting: Cell<usize>,
}

impl Pool {
    /// So many connections, each with these settings.
    pub(crate) fn new(database: &Arc<Database>, connections: usize, session: &Rc<str>) -> Self {
        let connections = connections.max(1);
        let lanes = (0..connections).map(|_| Rc::new(Lane::new(database, session)));
        Self {
            database: Arc::clone(database),
            free: RefCell::new(lanes.collect()),
            permits: Arc::new(Semaphore::new(connections)),
            waiting: Cell::new(0),
        }
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    pub(crate) fn forget(&self) {
        self.free.borrow().iter().for_each(|lane| lane.forget());
    }

    /// Lends a connection; waits for one, but not for ever, and not behind too many.
    pub(crate) async fn lend(self: &Rc<Self>) -> Result<Loan> {
        let permit = self.permit().await?;
        let lane = self.free.borrow_mut().pop();
        let lane = lane.ok_or_else(|| Error::internal("a permit without a connection"))?;
        Ok(Loan { pool: Rc::clone(self), lane, running: None, _permit: permit })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let limits = self.database.limits();
        let overloaded = || {
            Error::new(
                Code::Overloaded,
                "All connections to the database are busy. Try again in a moment.",
            )
            .retry_after(1)
        };
        if self.waiting.get() >= limits.queue_length {
            return Err(overloaded());
        }
        self.waiting.set(self.waiting.get() + 1);
        let _waiting = Waiting(&self.waiting);
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(limits.queue_timeout, permit).await;
        permit.map_err(|_| overloaded())?.map_err(Error::internal)
    }
}

/// Counts one who waits, until dropped.
struct Waiting<'a>(&'a Cell<usize>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A connection on loan: given back when dropped. Dropped while a statement runs, it cancels the
/// statement and gives the connection up, because a transaction may be open on it.
#[derive(Debug)]
pub(crate) struct Loan {
    pool: Rc<Pool>,
    pub(crate) lane: Rc<Lane>,
    /// The connection, while something runs on it.
    pub(crate) running: Option<Rc<Live>>,
    _permit: OwnedSemaphorePermit,
}

impl Loan {
    /// Something runs on this connection from now on.
    pub(crate) fn runs(&mut self, live: &Rc<Live>) {
        self.running = Some(Rc::clone(live));
    }

    /// Nothing runs any more.
    pub(crate) fn done(&mut self) {
        self.running = None;
    }

    /// How long a write waits for locks.
    pub(crate) fn lock_timeout(&self) -> Duration {
        self.pool.database.limits().lock_timeout
    }

    /// How many bytes of rows an answer may hold.
    pub(crate) fn limit(&self) -> usize {
        self.pool.database.limits().answer_bytes
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(live) = self.running.take() {
            self.lane.drop_connection();
            let token = live.client.cancel_token();
            let database = Arc::clone(&self.pool.database);
            // At the end of a worker there is nothing left to run it: the server then notices by
            // the closed connection.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { database.cancel(token).await });
            }
        }
        self.pool.free.borrow_mut().push(Rc::clone(&self.lane));
    }
}
