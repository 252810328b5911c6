//! Natural batching of reads that differ in their values alone: of documents by key, and of pages.
//!
//! While a statement is under way, requests for the same kind of document queue; the next
//! statement takes them all. There is no timer: an idle server adds no delay. A batch that takes
//! long gives its place to the next one, and one that fails is tried in halves.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{
    Attempt, Batch, BatchLimits, Batches, Class, Gauge, Job, Metrics, Refusal, Request, Run, Work,
};
use duet_auth::Identity;
use duet_model::{Code, Error, Result, Value};
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::{guarded, hash_values, refused, request};
use tokio::sync::oneshot;

use crate::connection::in_time::{over, within};
use crate::connection::live::Live;
use crate::connection::stop::{Stop, unavailable};
use crate::pool::Pool;
use crate::pool::lane::Lane;

/// How long after the deadline of its requests the answer of a statement is waited for.
const GRACE: Duration = Duration::from_millis(100);

/// How many bytes a task that runs batches has at most.
const LARGEST_WORK: usize = 2048;

/// A read whose requests share a statement.
pub(crate) trait Shared: 'static {
    /// What answers one request.
    type Reply: 'static;

    /// Answers requests with these values, in their order. Dropped, it has changed nothing.
    fn fetch(
        &self,
        live: &Live,
        identity: Option<&Arc<Identity>>,
        keys: &[&[Value]],
        limit: &RowLimit,
    ) -> impl Future<Output = Result<Vec<Self::Reply>, Stop>>;
}

/// The values of a request, and who waits for its answer.
struct Lookup<R> {
    key: Vec<Value>,
    reply: oneshot::Sender<Result<R>>,
}

impl<R> Work for Lookup<R> {
    fn alike(&self) -> Option<u64> {
        Some(hash_values(0, &self.key))
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn refuse(self, refusal: Refusal) {
        self.answer(Err(refused(refusal)));
    }
}

impl<R> Lookup<R> {
    /// A disconnected caller needs no answer.
    fn answer(self, answer: Result<R>) {
        drop(self.reply.send(answer));
    }
}

/// The queue of one kind of read, for one identity, on one worker.
pub(crate) struct Batcher<S: Shared> {
    read: S,
    /// Whose requests these are: all of them have the same role and claims.
    identity: Option<Arc<Identity>>,
    lanes: Rc<[Rc<Lane>]>,
    pool: Rc<Pool>,
    queue: Batches<Lookup<S::Reply>>,
    /// Which lanes are running a batch of this queue, by bit.
    busy: Cell<u64>,
}

impl<S: Shared> std::fmt::Debug for Batcher<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batcher").field("busy", &self.busy).finish_non_exhaustive()
    }
}

/// A lane that runs a batch of a queue, until dropped.
struct Busy<'b> {
    busy: &'b Cell<u64>,
    lane: usize,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.busy.set(self.busy.get() & !(1 << self.lane));
    }
}

/// Where batches run.
#[derive(Clone, Copy)]
pub(crate) struct BatchConnections<'c> {
    /// The connections of small batches.
    pub(crate) lanes: &'c Rc<[Rc<Lane>]>,
    /// Those of batches that are alone.
    pub(crate) pool: &'c Rc<Pool>,
}

impl<S: Shared> Batcher<S> {
    /// What is read.
    pub(crate) fn shared(&self) -> &S {
        &self.read
    }

    /// A queue whose batches have at most this many members. Where these are single, they run on as many connections as there
    /// are.
    pub(crate) fn new(
        read: S,
        identity: Option<&Arc<Identity>>,
        connections: BatchConnections<'_>,
        metrics: &Arc<Metrics>,
        most: usize,
    ) -> Self {
        let BatchConnections { lanes, pool } = connections;
        let limits = pool.database().limits();
        let bounds = BatchLimits {
            slots: if most == 1 { pool.connections().max(lanes.len()) } else { lanes.len() },
            isolated: pool.isolated(),
            length: limits.queue_length,
            batch: limits.batch.min(most),
            ..BatchLimits::default()
        };
        Self {
            read,
            identity: identity.cloned(),
            lanes: Rc::clone(lanes),
            pool: Rc::clone(pool),
            queue: Batches::new(bounds, Arc::clone(metrics)),
            busy: Cell::new(0),
        }
    }

    /// Whether no request waits or is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Answers one request; must run inside a local task set.
    pub(crate) async fn read(
        self: &Rc<Self>,
        request: Request,
        key: Vec<Value>,
    ) -> Result<S::Reply> {
        let (reply, answer) = oneshot::channel();
        let job = Job::new(request, Lookup { key, reply });
        let ticket = self.queue.submit(Instant::now(), job).map_err(refused)?;
        self.pump();
        let deadline = request.deadline.end() + request.deadline.grace(GRACE);
        match tokio::time::timeout_at(deadline.into(), answer).await {
            Ok(Ok(answer)) => {
                ticket.answered();
                answer
            }
            Ok(Err(_)) => Err(Error::internal("a batch has ended without an answer")),
            Err(_) if ticket.expire() => Err(refused(Refusal::Expired)),
            Err(_) => Err(over()),
        }
    }

    /// Begins whatever may run now.
    fn pump(self: &Rc<Self>) {
        while let Some(run) = self.queue.begin() {
            let work = Rc::clone(self).work(run);
            // It is moved several times where it begins: what is large in it has to be in a place of its own.
            debug_assert!(size_of_val(&work) <= LARGEST_WORK, "{} bytes", size_of_val(&work));
            tokio::task::spawn_local(work);
        }
    }

    /// Runs batches until no request waits.
    async fn work(self: Rc<Self>, mut run: Run<Lookup<S::Reply>>) {
        while let Some(batch) = run.take(Instant::now()) {
            self.pump();
            let served = async {
                self.serve(&mut run, batch).await;
                Ok(())
            };
            // Those whose batch has panicked get an internal error, by the end of their channel.
            drop(guarded(self.queue.metrics(), served).await);
            self.pump();
        }
    }

    async fn serve(
        self: &Rc<Self>,
        run: &mut Run<Lookup<S::Reply>>,
        batch: Batch<Lookup<S::Reply>>,
    ) {
        let left = batch.left(Instant::now()) + GRACE;
        let fetched = {
            let fetch = tokio::time::timeout(left, self.fetch(&batch));
            let mut fetch = std::pin::pin!(fetch);
            // The next batch need not wait for a slow one.
            match self.pool.stuck.soon(&mut fetch).await {
                Some(fetched) => fetched,
                None => {
                    if run.step_aside() {
                        self.pump();
                    }
                    fetch.await
                }
            }
        };
        let now = Instant::now();
        match fetched.unwrap_or_else(|_| Err(over())) {
            Ok(answers) => {
                for (job, answer) in run.done(now, batch).into_iter().zip(answers) {
                    job.item.answer(Ok(answer));
                }
            }
            Err(error) if !batch.is_uniform() && is_row_error(&error) => run.halve(now, batch),
            Err(error) => {
                for job in run.done(now, batch) {
                    job.item.answer(Err(error.clone()));
                }
            }
        }
    }

    /// Runs a batch on the lane with the least to do, or on a connection of the pool where it is a
    /// part of one that failed, or its lane is stuck behind a slow statement.
    async fn fetch(&self, batch: &Batch<Lookup<S::Reply>>) -> Result<Vec<S::Reply>> {
        let lane = (batch.attempt() == Attempt::Together).then(|| self.free_lane()).flatten();
        if let Some(busy) = lane
            && self.opens(&self.lanes[busy.lane]).await
            && let Some(fetched) = self.fetch_on_lane(&busy, batch.jobs()).await
        {
            return fetched;
        }
        let limits = self.pool.database().limits();
        let request = request(duet_admission::Client::default(), limits);
        let class = match batch.attempt() {
            Attempt::Alone => Class::Isolated,
            Attempt::Together | Attempt::Part => Class::Normal,
        };
        let loan = Box::pin(self.pool.lend(request, class)).await?;
        let fetched = self.fetch_on(&loan.lane, batch.jobs()).await?;
        fetched.ok_or_else(|| unavailable("the connection ended"))
    }

    /// Whether the server takes the connection of a lane. Where it takes no more, the pool waits for one.
    async fn opens(&self, lane: &Lane) -> bool {
        let opens = lane.is_open() || lane.can_open().await;
        if !opens {
            self.pool.note_full();
        }
        opens
    }

    /// The lane with the least to do of those that run no batch of this queue, and whose last statement has ended that
    /// was given up; an open one where the server takes no more connections.
    fn free_lane(&self) -> Option<Busy<'_>> {
        let is_full = self.pool.is_full();
        let lane = (0..self.lanes.len())
            .filter(|lane| self.busy.get() & (1 << lane) == 0)
            .filter(|lane| !is_full || self.lanes[*lane].is_open())
            .filter(|lane| !self.lanes[*lane].is_leaving())
            .min_by_key(|lane| self.lanes[*lane].load())?;
        self.busy.set(self.busy.get() | (1 << lane));
        Some(Busy { busy: &self.busy, lane })
    }

    /// Runs a batch on a lane; `None` where that is stuck behind a slow statement of another kind
    /// of document, or turns out to be, or ends with a row of another kind that is refused.
    async fn fetch_on_lane(
        &self,
        busy: &Busy<'_>,
        keys: &[Job<Lookup<S::Reply>>],
    ) -> Option<Result<Vec<S::Reply>>> {
        let lane = &self.lanes[busy.lane];
        if lane.is_stuck() {
            return None;
        }
        let behind = lane.load() > 0;
        let _turn = lane.enter();
        if !behind {
            return self.fetch_on(lane, keys).await.transpose();
        }
        let fetch = std::pin::pin!(self.fetch_on(lane, keys));
        self.pool.stuck.soon(fetch).await?.transpose()
    }

    /// Runs a batch, and again where the connection or the schema has just changed: nothing
    /// that reads by key changes anything. `None` where the connection has ended with a row of another batch.
    async fn fetch_on(
        &self,
        lane: &Lane,
        keys: &[Job<Lookup<S::Reply>>],
    ) -> Result<Option<Vec<S::Reply>>> {
        let mut tries = 1;
        loop {
            let database = self.pool.database();
            let attempt = database.watched(Box::pin(self.attempt(lane, keys))).await;
            // The other end of the connection is gone.
            let attempt = attempt.inspect_err(|_| lane.drop_connection())?;
            match attempt {
                Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
                other => return other,
            }
        }
    }

    async fn attempt(
        &self,
        lane: &Lane,
        keys: &[Job<Lookup<S::Reply>>],
    ) -> Result<Option<Vec<S::Reply>>> {
        let live = lane.live().await?;
        let shared = live.shared();
        lane.statistics().batch(keys.len());
        let borrowed: Vec<&[Value]> = keys.iter().map(|job| &job.item.key[..]).collect();
        let limit = live.limited(self.pool.database().rows());
        let running = Running { lane, live: Some(&live), queue: self.queue.metrics() };
        let fetch = self.read.fetch(&live, self.identity.as_ref(), &borrowed, &limit);
        let time = self.pool.database().limits().statement_timeout;
        let answers = within(time, Box::pin(fetch)).await?;
        running.ended();
        let has_ended = live.arriving.has_refused();
        match &answers {
            Err(Stop::Server(error)) if has_ended && error.is_closed() => return Ok(None),
            // The rest of the rows is still on its way. Batches of other queues on this lane leave it
            // by themselves where that takes long.
            Err(Stop::Over(_)) if has_ended || lane.load() <= 1 => lane.give_up(&live),
            Err(Stop::Over(_)) => {}
            _ => shared.done(),
        }
        Ok(Some(answers.map_err(Stop::error)?))
    }
}

/// A batch whose rows have not arrived. Dropped before, no caller waits for it any more: its statement is
/// cancelled, unless another batch is under way on the same connection.
struct Running<'l> {
    lane: &'l Lane,
    live: Option<&'l Live>,
    queue: &'l Arc<Metrics>,
}

impl Running<'_> {
    fn ended(mut self) {
        self.live = None;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(live) = self.live.filter(|_| self.lane.load() <= 1) {
            self.lane.give_up(live);
            // What the server still does counts until it has ended; on loan, the connection's own permit does.
            if self.lane.load() > 0 {
                self.lane.keep_until_left(Gauge::running(self.queue));
            }
        }
    }
}

/// Whether an error can be the fault of one member of a batch alone.
pub(crate) fn is_row_error(error: &Error) -> bool {
    !matches!(
        error.code,
        Code::DatabaseUnavailable
            | Code::SchemaChanged
            | Code::Overloaded
            | Code::OutcomeUnknown
            | Code::DatabaseDenied
            | Code::RoleUnusable
    )
}
