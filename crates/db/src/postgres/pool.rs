//! A small pool of connections for unbatched work: a connection each, taken from the pool,
//! given back when done.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{Class, Metrics, Permit, PermitLimits, Permits, Request, RequestClass};
use duet_model::{Error, Result};

use crate::admit::{granted, refused};
use crate::postgres::database::Database;
use crate::postgres::lane::Lane;
use crate::postgres::live::Live;
use crate::postgres::sent_commit::Ended;
use crate::row_limit::RowLimit;

/// The pool of one worker.
#[derive(Debug)]
pub(crate) struct Pool {
    database: Arc<Database>,
    free: RefCell<Vec<Rc<Lane>>>,
    permits: Permits,
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
            permits: Permits::new(limits, Arc::clone(metrics)),
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
        Ok(Loan { pool: Rc::clone(self), lane, running: None, permit: Some(permit) })
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
        self.pool.free.borrow_mut().push(Rc::clone(&self.lane));
        if let (Some(live), Some(permit)) = (running, self.permit.take()) {
            keep_until_ended(&self.pool.database, live.ended.clone(), permit);
        }
    }
}

/// How often a connection that was given up is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Keeps a permit until a connection has ended, or its server is found to be gone.
fn keep_until_ended(database: &Arc<Database>, mut ended: Ended, permit: Permit) {
    // At the end of a worker there is nothing left to run it, and no one who waits.
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let (database, since) = (Arc::clone(database), Instant::now());
    runtime.spawn(async move {
        // An error says that the connection has ended; nothing is ever sent.
        while tokio::time::timeout(LOOK, ended.changed()).await.is_err() {
            if database.was_gone_after(since) {
                break;
            }
        }
        drop(permit);
    });
}
