//! Natural batching of writes of documents: while transactions are under way, writes that begin with the
//! same read queue; the next transaction takes them all. It locks and reads their documents, each write
//! decides about its own, and their updates leave together with `COMMIT`.
//!
//! The transaction waits for no row lock: a document locked elsewhere leaves it and is
//! written in a transaction of its own. So does a write that wants more than updates, and every write of
//! a transaction that failed, so that each caller learns what became of its own. Documents of a group
//! have no rows in common ([`GroupRead`]), hence no write sees what another one of its group does.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{BatchLimits, Batches, Class, Job, Metrics, Refusal, Request, Run, Work};
use duet_auth::Identity;
use duet_client::sqlstate::Recovery;
use duet_document::RowSet;
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Result, Value};
use duet_store::commits::Changes;
use duet_store::memory::row_limit::{RowLimit, is_over};
use duet_store::queues::admit::{PATIENCE, guarded, refused, request};
use duet_store::read::Answer;
use duet_store::refusal::refusal;
use duet_store::write::{AnyWrite, GroupRead, Records};
use futures_util::future::{join, join_all, join3, try_join_all};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use tokio_postgres::Statement;

use crate::connection::bind::{self, bind};
use crate::connection::in_time::each_in_time;
use crate::connection::live::Live;
use crate::connection::role::Beginning;
use crate::connection::run;
use crate::connection::stop::{Stop, unavailable};
use crate::database::Database;
use crate::pool::{Loan, Pool};
use crate::transactions::group_member::{Finish, Seat, Shared, Slot, Step};
use crate::transactions::group_rows::{MergedUpdates, apart, owners};
use crate::transactions::session::{self, Failed, before_commit, ended, limit_locks};
use crate::transactions::terms::WriteTerms;

/// How many transactions of one queue are under way at most: while the server syncs for one, the other
/// collects its writes and commits.
const UNDER_WAY: usize = 2;

/// How many documents a transaction locks at most.
const DOCUMENTS: usize = 64;

/// How many writes have a transaction of their own after a group was of no use.
const APART: u32 = 32;

/// How long a write may take to decide, which is a matter of microseconds; and how long the server may
/// take to say that a statement has taken too long.
const GRACE: Duration = Duration::from_secs(1);

/// What a write that waits may do.
enum Assignment {
    /// Run in a transaction of its own.
    Alone(Option<Slot>),
    /// Run in that of its group.
    InGroup(Box<Seat>),
}

/// A write that waits.
struct QueuedWrite {
    key: Vec<Value>,
    turn: oneshot::Sender<Result<Assignment>>,
}

impl QueuedWrite {
    /// A disconnected caller needs no assignment.
    fn take(self, turn: Result<Assignment>) {
        drop(self.turn.send(turn));
    }
}

impl Work for QueuedWrite {
    fn is_abandoned(&self) -> bool {
        self.turn.is_closed()
    }

    fn refuse(self, refusal: Refusal) {
        self.take(Err(refused(refusal)));
    }
}

/// The queue of the writes that begin with one read, for one identity, on one worker.
pub(crate) struct Group {
    read: Arc<GroupRead>,
    identity: Option<Arc<Identity>>,
    commit: CommitClass,
    pool: Rc<Pool>,
    queue: Batches<QueuedWrite>,
    /// How many of the next writes do not wait for a group.
    apart: Cell<u32>,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group").field("read", &self.read.read.id).finish_non_exhaustive()
    }
}

/// A connection with the statements of a transaction.
struct Ready {
    live: Rc<Live>,
    levels: Vec<Statement>,
    beginning: Beginning,
    limit: RowLimit,
}

/// A transaction under way.
struct OpenTransaction {
    changes: Changes,
    /// Dropped at its end.
    end: watch::Receiver<()>,
    /// Those that wait for its end.
    replies: Vec<oneshot::Sender<Finish>>,
    /// Whether `COMMIT` was sent.
    sent: bool,
    /// Whether a statement is still under way that nothing waits for any more.
    abandoned: bool,
}

impl Group {
    pub(crate) fn new(
        read: &Arc<GroupRead>,
        terms: WriteTerms<'_>,
        pool: &Rc<Pool>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let limits = pool.database().limits();
        let bounds = BatchLimits {
            slots: UNDER_WAY,
            length: limits.queue_length,
            batch: limits.batch.min(DOCUMENTS),
            patience: PATIENCE,
            ..BatchLimits::default()
        };
        Self {
            read: Arc::clone(read),
            identity: terms.identity.cloned(),
            commit: terms.commit,
            pool: Rc::clone(pool),
            queue: Batches::new(bounds, Arc::clone(metrics)),
            apart: Cell::new(0),
        }
    }

    /// Whether no write waits or is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Runs a write together with others; must run inside a local task set.
    ///
    /// # Errors
    /// Those of the write, or if it is not started in time.
    pub(crate) async fn write(
        self: &Rc<Self>,
        request: Request,
        key: &Vec<Value>,
        work: &AnyWrite,
    ) -> Result<Shared> {
        let apart = self.apart.get();
        if apart > 0 {
            self.apart.set(apart - 1);
            return Ok(Shared::Alone(None));
        }
        let now = Instant::now();
        let limit = self.pool.database().limits().queue_timeout;
        let request = Request { deadline: request.deadline.within_from(now, limit), ..request };
        let (turn, mine) = oneshot::channel();
        let waiting = QueuedWrite { key: key.clone(), turn };
        let ticket = self.queue.submit(now, Job::new(request, waiting)).map_err(refused)?;
        self.pump();
        let end = request.deadline.end().into();
        let Ok(turn) = tokio::time::timeout_at(end, mine).await else {
            ticket.expire();
            return Err(refused(Refusal::Expired));
        };
        ticket.answered();
        match turn {
            Ok(turn) => match turn? {
                Assignment::Alone(slot) => Ok(Shared::Alone(slot)),
                Assignment::InGroup(seat) => seat.run(work, key).await,
            },
            // Its group has failed before it had a seat.
            Err(_) => Ok(Shared::Alone(None)),
        }
    }

    /// Begins whatever may run now.
    fn pump(self: &Rc<Self>) {
        while let Some(run) = self.queue.begin() {
            // In a place of its own: spawning moves it several times.
            tokio::task::spawn_local(Box::pin(Rc::clone(self).work(run)));
        }
    }

    /// Runs groups until the queue is empty.
    async fn work(self: Rc<Self>, mut run: Run<QueuedWrite>) {
        while run.has_more() {
            // Writes that arrive while this waits for a connection join the group.
            let limits = self.pool.database().limits();
            let own = request(duet_admission::Client::default(), limits);
            let loan = self.pool.lend(own, Class::Normal).await;
            let now = Instant::now();
            let Some(batch) = run.take(now) else { break };
            self.pump();
            let members = run.done(now, batch);
            let served = async {
                self.serve(loan, members).await;
                Ok(())
            };
            // Writes whose group has panicked see the end of their channels.
            drop(guarded(self.queue.metrics(), Box::pin(served)).await);
        }
        drop(run);
        self.pump();
    }

    async fn serve(&self, loan: Result<Loan>, mut members: Vec<Job<QueuedWrite>>) {
        match loan {
            Ok(loan) if members.len() > 1 => self.together(loan, members).await,
            Ok(loan) => {
                drop(loan);
                let Some(only) = members.pop() else { return };
                let (slot, mut kept) = oneshot::channel();
                only.item.take(Ok(Assignment::Alone(Some(slot))));
                // Others go on where it takes long.
                drop(timeout(PATIENCE, &mut kept).await);
            }
            // They say so themselves.
            Err(_) => {
                members.into_iter().for_each(|job| job.item.take(Ok(Assignment::Alone(None))));
            }
        }
    }

    async fn together(&self, mut loan: Loan, members: Vec<Job<QueuedWrite>>) {
        let now = Instant::now();
        let left = members.iter().map(|job| job.request.deadline.left(now)).max();
        let left = left.unwrap_or_default() + self.pool.database().limits().statement_timeout;
        let (over, end) = watch::channel(());
        let changes = self.pool.database().commits().begin();
        let mut open =
            OpenTransaction { changes, end, replies: Vec::new(), sent: false, abandoned: false };
        let attempt = Box::pin(self.attempt(&mut loan, members, &mut open));
        let unknown = match timeout(left + GRACE, attempt).await {
            Ok(Ok(())) => None,
            Ok(Err(failed)) => {
                self.end(&mut loan, &open, &failed).await;
                Some(failed.error).filter(|error| error.code == Code::OutcomeUnknown)
            }
            Err(_) if open.sent => {
                let cause = "the database did not answer";
                Some(Box::new(refusal(Code::OutcomeUnknown).cause(cause)))
            }
            Err(_) => None,
        };
        drop(loan);
        for reply in open.replies {
            drop(reply.send(match &unknown {
                Some(error) => Finish::Unknown(error.clone()),
                None => Finish::Undone,
            }));
        }
        drop(over);
    }

    /// Ends a transaction that has failed.
    async fn end(&self, loan: &mut Loan, open: &OpenTransaction, failed: &Failed) {
        self.apart.set(APART);
        loan.lane.statistics().retried();
        let Some(live) = loan.running.clone() else { return };
        if failed.error.code == Code::OutcomeUnknown || is_over(&failed.error) || open.abandoned {
            return;
        }
        // An error of an update has made a rollback of `COMMIT`.
        let over = open.sent || {
            let undone = live.client.batch_execute("ROLLBACK");
            matches!(loan.database().watched(undone).await, Ok(Ok(())))
        };
        if over {
            loan.done();
        }
    }

    async fn attempt(
        &self,
        loan: &mut Loan,
        members: Vec<Job<QueuedWrite>>,
        open: &mut OpenTransaction,
    ) -> Result<(), Failed> {
        let live = loan.lane.live_for(None).await.map_err(Failed::to_connect)?;
        let ready = self.ready(live, &loan.limit()).await.map_err(Failed::from)?;
        let database = loan.database();
        loan.runs(&ready.live);
        let locked = database.watched(Box::pin(self.locked(&database, &ready, members, open)));
        let updates = match locked.await {
            Ok(updates) => updates?,
            Err(error) => return Err(Failed::new(error, Recovery::Reconnect)),
        };
        if open.replies.is_empty() {
            let undone = database.watched(ready.live.client.batch_execute("ROLLBACK")).await;
            if matches!(undone, Ok(Ok(()))) {
                loan.done();
            }
            return Ok(());
        }
        let finished = Box::pin(self.finish(&database, &ready, &updates, open));
        let returned = database.watched(finished).await.unwrap_or_else(|e| Err(Failed::unknown(e)));
        let returned = returned?;
        loan.done();
        let rows = returned.iter().map(|set| set.len() as u64).sum();
        let written = open.replies.len();
        for (reply, sets) in open.replies.drain(..).zip(updates.apart(&returned)) {
            // A disconnected caller needs no answer.
            drop(reply.send(Finish::Committed(sets)));
        }
        loan.lane.statistics().wrote(written, rows);
        Ok(())
    }

    async fn ready(&self, live: Rc<Live>, rows: &RowLimit) -> Result<Ready, Stop> {
        let mut levels = Vec::with_capacity(self.read.levels.len());
        for (level, codecs) in self.read.levels.iter().zip(&self.read.read.codecs) {
            levels.push(live.prepared(&level.sql, 0, codecs).await?);
        }
        let begin = session::begin(self.commit);
        let beginning = Beginning::ready(&live, begin, self.identity.as_ref()).await?;
        let limit = live.limited(rows);
        Ok(Ready { live, levels, beginning, limit })
    }

    /// Locks and reads the documents, and lets their writes decide.
    async fn locked(
        &self,
        database: &Database,
        ready: &Ready,
        members: Vec<Job<QueuedWrite>>,
        open: &mut OpenTransaction,
    ) -> Result<MergedUpdates, Failed> {
        let all = keys(&members);
        let roots = match self.roots(database, ready, &all, open).await {
            Ok(roots) => roots,
            Err(failed) => return Err(untried(members, failed)),
        };
        let found = owners(&self.read.read, 0, &roots, &all);
        let mut here = Vec::with_capacity(members.len());
        for (position, member) in members.into_iter().enumerate() {
            match found.contains(&Some(position)) {
                true => here.push(member),
                false => member.item.take(Ok(Assignment::Alone(None))),
            }
        }
        if here.is_empty() {
            return Ok(MergedUpdates::default());
        }
        let own = keys(&here);
        // Below rows that are locked, so that none can appear.
        let below = (1..ready.levels.len()).map(|level| self.level(ready, level, &own));
        let below = timed(database, ready, open, try_join_all(below)).await;
        let below = match below.and_then(|below| below) {
            Ok(below) => below,
            Err(stop) => return Err(untried(here, stop.into())),
        };
        let mut levels = vec![roots];
        levels.extend(below);
        let answers = apart(&self.read.read, &levels, &own, &ready.limit).map_err(Stop::from)?;
        drop(levels);
        Ok(self.decided(here.into_iter().zip(answers).collect(), open).await)
    }

    /// Begins, and locks and reads the roots.
    async fn roots(
        &self,
        database: &Database,
        ready: &Ready,
        keys: &[&[Value]],
        open: &mut OpenTransaction,
    ) -> Result<RowSet, Failed> {
        let client = &ready.live.client;
        let all = join3(
            ready.beginning.begin(client),
            limit_locks(client, database.first_patience()),
            self.level(ready, 0, keys),
        );
        let (begun, limited, roots) = timed(database, ready, open, all).await?;
        begun?;
        limited.map_err(Stop::from)?;
        Ok(roots?)
    }

    async fn level(&self, ready: &Ready, level: usize, keys: &[&[Value]]) -> Result<RowSet, Stop> {
        let parameters = bind(&self.read.levels[level], keys);
        let codecs = &self.read.read.codecs[level];
        let (client, statement) = (&ready.live.client, &ready.levels[level]);
        run::level(client, statement, parameters, codecs, &ready.limit).await
    }

    /// Gives writes their documents, and waits for their updates.
    async fn decided(
        &self,
        seats: Vec<(Job<QueuedWrite>, Answer)>,
        open: &mut OpenTransaction,
    ) -> MergedUpdates {
        let records = match (open.changes.needs_rows(), &self.identity) {
            (false, _) => Records::Nothing,
            (true, Some(_)) => Records::Known,
            (true, None) => Records::Links,
        };
        let count = seats.len();
        let steps = seats.into_iter().map(|(member, answer)| {
            let (step, decided) = oneshot::channel();
            let read = Arc::clone(&self.read.read);
            let seat = Seat { read, answer, records, step, ended: open.end.clone() };
            member.item.take(Ok(Assignment::InGroup(Box::new(seat))));
            timeout(GRACE, decided)
        });
        let mut updates = MergedUpdates::default();
        let mut leaving = 0;
        for step in join_all(steps).await {
            match step {
                Ok(Ok(Step::Finish(updated, reply))) => {
                    updates.add(updated);
                    open.replies.push(reply);
                }
                Ok(Ok(Step::Leave)) => leaving += 1,
                // It has ended, or its caller has disconnected.
                Ok(Err(_)) | Err(_) => {}
            }
        }
        if leaving * 2 > count {
            self.apart.set(APART);
        }
        updates
    }

    /// Sends the updates and `COMMIT`.
    async fn finish(
        &self,
        database: &Database,
        ready: &Ready,
        together: &MergedUpdates,
        open: &mut OpenTransaction,
    ) -> Result<Vec<RowSet>, Failed> {
        let live = &ready.live;
        let mut prepared = Vec::with_capacity(together.updates.len());
        for updated in &together.updates {
            let (sql, codecs) = (&updated.update.statement().sql, updated.update.codecs());
            prepared.push(live.prepared(sql, 0, codecs).await?);
        }
        // As much comes back as was read before or sent.
        let kept = live.kept(&ready.limit);
        let each = together.updates.iter().zip(&prepared).map(|(updated, prepared)| {
            let rows = updated.rows.iter().map(Vec::as_slice);
            let parameters = bind::rows(updated.update.statement(), &rows);
            run::level(&live.client, prepared, parameters, updated.update.codecs(), &kept)
        });
        if live.client.is_closed() {
            // Nothing of it was sent.
            let cause = "the connection broke before the last statements";
            return Err(Failed::new(unavailable(cause), Recovery::Reconnect));
        }
        let mut changes = std::mem::take(&mut open.changes);
        for updated in &together.updates {
            let (table, action, count) =
                (&updated.table, updated.action, updated.rows.len() as u64);
            changes.rows(table, action, count, || Some(updated.changes.clone()));
        }
        let sent = live.sends_commit(database.commits(), changes);
        open.sent = true;
        let last = join(join_all(each), live.client.batch_execute("COMMIT"));
        let last = database.noting(live, last);
        let last = timed(database, ready, open, last).await;
        // `COMMIT` is on its way behind what still runs.
        let last = last.map_err(|stop| Failed::unknown(stop.error()));
        let returned = last.and_then(|(sets, committed)| {
            let sets: Result<Vec<RowSet>, Stop> = sets.into_iter().collect();
            let sets = sets.map_err(before_commit)?;
            committed.map_err(|error| Failed::to_commit(&error))?;
            Ok(sets)
        });
        ended(sent, returned).await
    }
}

/// Waits for statements, each as long as it may take.
async fn timed<T>(
    database: &Database,
    ready: &Ready,
    open: &mut OpenTransaction,
    statements: impl Future<Output = T>,
) -> Result<T, Stop> {
    let time = database.limits().statement_timeout;
    let done = each_in_time(&ready.live.arriving, time, Box::pin(statements)).await;
    done.map_err(|error| {
        open.abandoned = true;
        Stop::Over(Box::new(error))
    })
}

/// Answers writes whose time is over; after other errors each is tried in a transaction of its own.
fn untried(members: Vec<Job<QueuedWrite>>, failed: Failed) -> Failed {
    if failed.error.code == Code::Timeout {
        members.into_iter().for_each(|member| member.item.take(Err((*failed.error).clone())));
    }
    failed
}

/// The keys of writes.
fn keys(members: &[Job<QueuedWrite>]) -> Vec<&[Value]> {
    members.iter().map(|job| &job.item.key[..]).collect()
}
