//! A small pool of connections for what is not batched: a connection each, taken from the pool,
//! given back when done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::postgres::database::Database;
use crate::postgres::lane::{Lane, Live};

/// The pool of one worker.
#[derive(Debug)]
pub(crate) struct Pool {
    database: Arc<Database>,
    free: RefCell<Vec<Rc<Lane>>>,
    permits: Semaphore,
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
            permits: Semaphore::new(connections),
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
    pub(crate) async fn lend(&self) -> Result<Loan<'_>> {
        let permit = self.permit().await?;
        let lane = self.free.borrow_mut().pop();
        let lane = lane.ok_or_else(|| Error::internal("a permit without a connection"))?;
        Ok(Loan { pool: self, lane, running: None, _permit: permit })
    }

    async fn permit(&self) -> Result<SemaphorePermit<'_>> {
        if let Ok(permit) = self.permits.try_acquire() {
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
        let permit = tokio::time::timeout(limits.queue_timeout, self.permits.acquire()).await;
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
pub(crate) struct Loan<'a> {
    pool: &'a Pool,
    pub(crate) lane: Rc<Lane>,
    /// The connection, while something runs on it.
    pub(crate) running: Option<Rc<Live>>,
    _permit: SemaphorePermit<'a>,
}

impl Loan<'_> {
    /// How many bytes of rows an answer may hold.
    pub(crate) fn limit(&self) -> usize {
        self.pool.database.limits().answer_bytes
    }
}

impl Drop for Loan<'_> {
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
