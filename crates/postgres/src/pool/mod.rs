//! A small pool of connections for unbatched work: a connection each, taken from the pool,
//! given back when done.

pub(crate) mod lane;
mod slow;
mod stuck_timers;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{
    Class, Deadline, Metrics, Permit, PermitLimits, Permits, Refusal, Request, RequestClass,
};
use duet_model::{Error, Result};
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::{granted, refused};
use tokio::sync::Notify;

use crate::connection::live::Live;
use crate::database::Database;
use crate::pool::lane::Lane;
use crate::pool::slow::SlowStatements;
use crate::pool::stuck_timers::StuckTimers;

/// For so long after the server has taken no more connections, none is asked for, and open ones are used.
const FULL: Duration = Duration::from_millis(200);

/// The pool of one worker.
#[derive(Debug)]
pub(crate) struct Pool {
    database: Arc<Database>,
    /// The next one is the last: one that was given back, as long as it is open.
    free: RefCell<Vec<Rc<Lane>>>,
    given_back: Notify,
    /// When the server last took no more connections.
    full: Cell<Option<Instant>>,
    permits: Permits,
    /// Pages that were slow lately.
    pub(crate) slow: SlowStatements,
    /// Those that say when the next batch of reads need not wait for one.
    pub(crate) stuck: StuckTimers,
}

impl Pool {
    /// So many connections, each with these settings, for work that locks may block.
    pub(crate) fn new(
        database: &Arc<Database>,
        connections: usize,
        session: &Rc<str>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let limits = PermitLimits::new(connections, database.limits().queue_length);
        Self::with(database, limits, session, metrics)
    }

    /// The same for reads: no client has all connections, so that another one's reads begin at once.
    pub(crate) fn shared(
        database: &Arc<Database>,
        connections: usize,
        session: &Rc<str>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let limits = PermitLimits::new(connections, database.limits().queue_length).shared();
        Self::with(database, limits, session, metrics)
    }

    fn with(
        database: &Arc<Database>,
        limits: PermitLimits,
        session: &Rc<str>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let lanes = (0..limits.permits).map(|_| Rc::new(Lane::new(database, session)));
        Self {
            database: Arc::clone(database),
            free: RefCell::new(lanes.collect()),
            given_back: Notify::new(),
            full: Cell::new(None),
            permits: Permits::new(limits, Arc::clone(metrics)),
            slow: SlowStatements::default(),
            stuck: StuckTimers::default(),
        }
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// How many connections it has.
    pub(crate) fn connections(&self) -> usize {
        self.permits.limits().permits
    }

    /// How much blocking work may have a connection at the same time; see [`Permits`].
    pub(crate) fn isolated(&self) -> usize {
        self.permits.limits().isolated
    }

    /// Whether work that blocks leaves connections to the others.
    pub(crate) fn isolates(&self) -> bool {
        self.permits.isolates()
    }

    pub(crate) fn forget(&self) {
        self.free.borrow().iter().for_each(|lane| lane.forget());
    }

    /// Lends a connection. Waiting clients are served in rotation, and none waits longer than a request may
    /// wait in a queue.
    pub(crate) async fn lend(self: &Rc<Self>, request: Request, class: Class) -> Result<Loan> {
        let now = Instant::now();
        let limit = self.database.limits().queue_timeout;
        let deadline = request.deadline.within_from(now, limit);
        let request = Request { deadline, ..request };
        // Batch work leaves connections to interactive requests.
        let class = match (class, request.class) {
            (Class::Normal, RequestClass::Batch) => Class::Large,
            (class, _) => class,
        };
        let permit = granted(self.permits.enter(now, request, class), deadline).await;
        let permit = permit.map_err(refused)?;
        let lane = self.free.borrow_mut().pop();
        let lane = lane.ok_or_else(|| Error::internal("a permit without a connection"))?;
        // A permit is kept for what the lane has given up before.
        drop(lane.take_left());
        let mut loan = Loan { pool: Rc::clone(self), lane, running: None, permit: Some(permit) };
        self.open(&mut loan, deadline).await?;
        Ok(loan)
    }

    /// Opens the connection of a loan. Where the server takes no more, this waits for one that another request
    /// gives back, or until the server does: it is at its limit, and not gone.
    async fn open(&self, loan: &mut Loan, deadline: Deadline) -> Result<()> {
        while !loan.lane.is_open() {
            if !self.is_full() {
                if loan.lane.can_open().await {
                    return Ok(());
                }
                self.note_full();
            }
            let soon = deadline.end().min(Instant::now() + FULL);
            drop(tokio::time::timeout_at(soon.into(), self.given_back.notified()).await);
            if Instant::now() >= deadline.end() {
                return Err(refused(Refusal::Expired));
            }
            self.exchange(loan);
        }
        Ok(())
    }

    /// Takes an open connection for one that is not, if there is one.
    fn exchange(&self, loan: &mut Loan) {
        let mut free = self.free.borrow_mut();
        if let Some(open) = free.iter().rposition(|lane| lane.is_open()) {
            std::mem::swap(&mut free[open], &mut loan.lane);
        }
    }

    /// Whether the server has just taken no more connections.
    pub(crate) fn is_full(&self) -> bool {
        self.full.get().is_some_and(|at| at.elapsed() < FULL)
    }

    /// The server takes no more connections.
    pub(crate) fn note_full(&self) {
        self.full.set(Some(Instant::now()));
    }
}

/// A connection on loan: given back when dropped. Dropped while a statement runs, it cancels the
/// statement and gives the connection up, because a transaction may be open on it. Its permit returns when the server
/// has ended the statement, so that never more statements run than the pool has connections.
#[derive(Debug)]
pub(crate) struct Loan {
    pool: Rc<Pool>,
    pub(crate) lane: Rc<Lane>,
    /// The connection, while something runs on it.
    pub(crate) running: Option<Rc<Live>>,
    permit: Option<Permit>,
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

    /// The database.
    pub(crate) fn database(&self) -> Arc<Database> {
        Arc::clone(&self.pool.database)
    }

    /// What the rows of an answer may take.
    pub(crate) fn limit(&self) -> RowLimit {
        self.pool.database.rows().clone()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let running = self.running.take();
        if let Some(live) = &running {
            self.lane.give_up(live);
        }
        self.lane.given_back();
        {
            let mut free = self.pool.free.borrow_mut();
            let place = if self.lane.is_open() { free.len() } else { 0 };
            free.insert(place, Rc::clone(&self.lane));
        }
        self.pool.given_back.notify_one();
        // A batch gives up what it has sent by itself.
        if let (Some(ended), Some(permit)) = (self.lane.take_left(), self.permit.take()) {
            self.pool.database.keep_until_ended(ended, permit);
        }
    }
}
