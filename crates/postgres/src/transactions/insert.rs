//! Natural batching of inserts: while a transaction is under way, rows for the same columns of a
//! table queue; the next transaction takes them all and leaves in one flush with `BEGIN` and `COMMIT`.
//! Where rows can be matched to their callers by their keys, one statement inserts them all.
//! Otherwise, and where that statement fails, there is one for each row, so each caller learns what
//! became of its own row.
//!
//! A row that waits for another session's lock holds up its batch for a moment; then it is tried
//! alone, on another connection, and the others go on without it.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{
    Attempt, Batch, BatchLimits, Batches, Class, Job, Metrics, Refusal, Request, Run, Work,
};
use duet_auth::Identity;
use duet_client::sqlstate::Recovery;
use duet_document::RowSet;
use duet_model::catalog::Placement;
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Error, Result, Value};
use duet_sql::Statement;
use duet_store::commits::{Action, Changes};
use duet_store::queues::admit::{PATIENCE, guarded, refused, request};
use duet_store::read::Answer;
use duet_store::refusal::refusal;
use duet_store::write::insert::{InsertBatch, MatchedInsert};
use duet_store::write::write_times::{Mark, WriteTimes};
use futures_util::future::{LocalBoxFuture, join, join_all, join3};
use tokio::sync::oneshot;

use crate::connection::bind;
use crate::connection::in_time::each_in_time;
use crate::connection::live::{Autocommit, Live};
use crate::connection::role::Beginning;
use crate::connection::run;
use crate::connection::stop::unavailable;
use crate::pool::lane::Lane;
use crate::pool::{Loan, Pool};
use crate::read::batch::is_row_error;
use crate::transactions::matched::{self, MatchedRows};
use crate::transactions::session::{self, Failed, before_commit, limit_locks};
use crate::transactions::terms::WriteTerms;
use crate::transactions::write::{EARLY, Tries};

/// How many transactions of one queue are under way at most: while the server syncs for one, the other
/// collects its rows and commits. More make smaller batches: four were slower (0.93).
const UNDER_WAY: usize = 2;

/// How long after the deadline of its requests the answer of a transaction is waited for.
const GRACE: Duration = Duration::from_millis(100);

/// A row that waits, and who waits for it.
struct Row {
    insert: Arc<InsertBatch>,
    values: Vec<Value>,
    times: Option<Arc<WriteTimes>>,
    reply: oneshot::Sender<Result<Answer>>,
}

impl Work for Row {
    fn touches(&self, key: &mut dyn FnMut(u64)) {
        self.insert.touches(&self.values, key);
    }

    fn weight(&self) -> usize {
        self.values.iter().map(size).sum()
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn refuse(self, refusal: Refusal) {
        self.answer(Err(refused(refusal)));
    }
}

impl Row {
    fn mark(&self, mark: Mark) {
        if let Some(times) = &self.times {
            times.mark(mark);
        }
    }

    /// A disconnected caller needs no answer.
    fn answer(self, answer: Result<Answer>) {
        drop(self.reply.send(answer));
    }
}

/// The queue of one kind of row, for one identity, on one worker.
pub(crate) struct Inserter {
    insert: Arc<InsertBatch>,
    /// Whose rows these are: all of them have the same role and claims.
    identity: Option<Arc<Identity>>,
    commit: CommitClass,
    pool: Rc<Pool>,
    queue: Batches<Row>,
    /// Whether the statement for many rows has failed where those for single rows have not: drawing
    /// keys from a sequence, for example, needs a privilege that an insert does not.
    singly: Cell<bool>,
}

/// How the rows of a batch are sent.
#[derive(Clone, Copy, Debug)]
enum Strategy<'i> {
    /// One statement inserts all.
    Matched(&'i MatchedInsert),
    /// Each has a statement.
    Singly(&'i Statement),
}

impl Strategy<'_> {
    fn sql(&self) -> &Arc<str> {
        match self {
            Self::Matched(matched) => &matched.statement.sql,
            Self::Singly(statement) => &statement.sql,
        }
    }

    /// The number of columns that come back before those of the row.
    fn first(&self) -> usize {
        match self {
            Self::Matched(matched) => matched.by.columns_before(),
            Self::Singly(_) => 0,
        }
    }
}

impl std::fmt::Debug for Inserter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inserter").field("insert", &self.insert.id).finish_non_exhaustive()
    }
}

/// What has stopped a transaction, and the position of the row at which it stopped.
struct Stopped {
    failed: Failed,
    row: Option<usize>,
}

/// What has become of a transaction that could begin: of its statements, and of its commit.
struct Ended<T> {
    inserted: T,
    committed: Result<(), Stopped>,
}

impl From<Failed> for Stopped {
    fn from(failed: Failed) -> Self {
        Self { failed, row: None }
    }
}

impl Inserter {
    pub(crate) fn new(
        insert: &Arc<InsertBatch>,
        terms: WriteTerms<'_>,
        pool: &Rc<Pool>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let limits = pool.database().limits();
        // A transaction for each row; those on other connections share the server's syncs. So are rows that are on different
        // machines: a statement for many of them is one for each machine, committed in two phases.
        let is_apart = matches!(insert.table().placement, Placement::Distributed { .. });
        let (slots, batch) = match terms.commit {
            CommitClass::Sync => (pool.connections(), 1),
            _ if is_apart => (pool.connections(), 1),
            _ => (UNDER_WAY, limits.batch),
        };
        let bounds = BatchLimits {
            slots,
            isolated: pool.isolated(),
            length: limits.queue_length,
            batch,
            weight: limits.answer_bytes / 2,
            patience: PATIENCE,
            ..BatchLimits::default()
        };
        Self {
            insert: Arc::clone(insert),
            identity: terms.identity.cloned(),
            commit: terms.commit,
            pool: Rc::clone(pool),
            queue: Batches::new(bounds, Arc::clone(metrics)),
            singly: Cell::new(false),
        }
    }

    /// Whether no request waits or is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Inserts one row; must run inside a local task set. If the caller disconnects before its
    /// insert begins, nothing is inserted; once begun, the insert is finished.
    pub(crate) async fn insert(
        self: &Rc<Self>,
        request: Request,
        values: Vec<Value>,
        times: Option<Arc<WriteTimes>>,
    ) -> Result<Answer> {
        self.insert.check(&values)?;
        let (reply, answer) = oneshot::channel();
        let row = Row { insert: Arc::clone(&self.insert), values, times, reply };
        row.mark(Mark::Queued);
        let ticket = self.queue.submit(Instant::now(), Job::new(request, row)).map_err(refused)?;
        self.pump();
        let deadline = request.deadline.end() + request.deadline.grace(GRACE);
        match tokio::time::timeout_at(deadline.into(), answer).await {
            Ok(Ok(answer)) => {
                ticket.answered();
                answer
            }
            Ok(Err(_)) => Err(Error::internal("a batch has ended without an answer")),
            Err(_) if ticket.expire() => Err(refused(Refusal::Expired)),
            Err(_) => Err(refusal(Code::OutcomeUnknown).cause("the database did not answer")),
        }
    }

    /// Begins whatever may run now.
    fn pump(self: &Rc<Self>) {
        while let Some(run) = self.queue.begin() {
            // In a place of its own: spawning moves it several times.
            tokio::task::spawn_local(Box::pin(Rc::clone(self).work(run)));
        }
    }

    /// Runs batches until the queue is empty.
    async fn work(self: Rc<Self>, mut run: Run<Row>) {
        loop {
            // Requests that arrive while this waits for a connection join the batch.
            let early = match run.has_more() && !run.is_alone() {
                true => Some(self.lend(Class::Normal).await),
                false => None,
            };
            let Some(batch) = run.take(Instant::now()) else { break };
            self.pump();
            let loan = match early {
                Some(loan) => loan,
                None => self.lend(class(&batch)).await,
            };
            let served = async {
                match loan {
                    Ok(loan) => self.serve(&mut run, loan, batch).await,
                    Err(error) => answer_all(run.done(Instant::now(), batch), &error),
                }
                Ok(())
            };
            // Those whose batch has panicked get an internal error, by the end of their channel.
            drop(guarded(self.queue.metrics(), served).await);
            self.pump();
        }
    }

    async fn lend(&self, class: Class) -> Result<Loan> {
        let limits = self.pool.database().limits();
        self.pool.lend(request(duet_admission::Client::default(), limits), class).await
    }

    async fn serve(self: &Rc<Self>, run: &mut Run<Row>, mut loan: Loan, batch: Batch<Row>) {
        let left = batch.left(Instant::now()) + GRACE;
        let stopped = {
            // Pinned first: it is large, and the timeout would move it.
            let attempt = std::pin::pin!(self.attempts(&mut loan, &batch));
            let mut attempt = std::pin::pin!(tokio::time::timeout(left, attempt));
            // Longer than its patience for locks: the others need not wait for it.
            match tokio::time::timeout(2 * PATIENCE, &mut attempt).await {
                Ok(done) => done,
                Err(_) => {
                    if run.step_aside() {
                        self.pump();
                    }
                    attempt.await
                }
            }
        };
        drop(loan);
        let now = Instant::now();
        match stopped {
            Ok(Ok(sets)) => {
                for (job, set) in run.done(now, batch).into_iter().zip(sets) {
                    job.item.answer(Ok(self.insert.answer(set)));
                }
            }
            Ok(Err(stopped)) => self.stopped(run, batch, stopped),
            Err(_) => {
                let unknown = refusal(Code::OutcomeUnknown).cause("the database did not answer");
                answer_all(run.done(now, batch), &unknown);
            }
        }
    }

    /// Nothing of the batch is stored. The row at which it stopped is answered or tried alone, the
    /// others are tried again together.
    fn stopped(&self, run: &Run<Row>, batch: Batch<Row>, Stopped { failed, row }: Stopped) {
        let now = Instant::now();
        let has_met = failed.has_met();
        let soon = now + EARLY;
        let may_wait = batch
            .jobs()
            .iter()
            .any(|job| !job.request.deadline.within(self.lock_timeout()).is_over(soon));
        match row {
            Some(row) if has_met && batch.attempt() != Attempt::Alone => {
                run.single_out(now, batch, row);
            }
            // It could not hold its connection for long, or was undone in favour of another one.
            Some(_) if has_met && may_wait => run.split(now, batch),
            _ if batch.jobs().len() < 2 || !is_row_error(&failed.error) => {
                answer_all(run.done(now, batch), &failed.error);
            }
            Some(row) => {
                if let Some(job) = run.without(now, batch, row) {
                    job.item.answer(Err(*failed.error));
                }
            }
            None => run.halve(now, batch),
        }
    }

    fn lock_timeout(&self) -> Duration {
        self.pool.database().limits().lock_timeout
    }

    /// How long the transaction of a batch waits for a lock, where that is not what its connection
    /// has set.
    fn patience(&self, batch: &Batch<Row>, now: Instant) -> Option<Duration> {
        match batch.attempt() {
            Attempt::Together => self.pool.database().first_patience(),
            Attempt::Part => Some(batch.patience(now)),
            Attempt::Alone => {
                let deadlines = batch.jobs().iter().map(|job| job.request.deadline);
                let left = deadlines.map(|deadline| deadline.within(self.lock_timeout()).left(now));
                let left = left.max().unwrap_or_default().max(Duration::from_millis(1));
                Some(if self.pool.isolates() { left } else { left.min(PATIENCE) })
            }
        }
    }

    /// Inserts the rows of a batch, and again where another connection or another look at the schema
    /// can help.
    async fn attempts(&self, loan: &mut Loan, batch: &Batch<Row>) -> Result<Vec<RowSet>, Stopped> {
        if let Some(matched) = &self.insert.matched
            && batch.attempt() == Attempt::Together
            && batch.jobs().len() > 1
            && !self.singly.get()
        {
            let stopped = match self.attempt(loan, batch, Strategy::Matched(matched)).await {
                Ok(sets) => return Ok(counted(loan, sets)),
                Err(stopped) => stopped,
            };
            if stopped.failed.error.code == Code::OutcomeUnknown {
                return Err(stopped);
            }
            // Nothing of it is stored. Statements for single rows find the faulty row.
            let sets = self.attempts_singly(loan, batch).await?;
            self.singly.set(!stopped.failed.has_met());
            return Ok(sets);
        }
        self.attempts_singly(loan, batch).await
    }

    async fn attempts_singly(
        &self,
        loan: &mut Loan,
        batch: &Batch<Row>,
    ) -> Result<Vec<RowSet>, Stopped> {
        let mut tries = Tries::default();
        loop {
            let strategy = Strategy::Singly(&self.insert.statement);
            let stopped = match self.attempt(loan, batch, strategy).await {
                Ok(sets) => return Ok(counted(loan, sets)),
                Err(stopped) => stopped,
            };
            if stopped.failed.has_met() {
                loan.lane.statistics().retried();
                return Err(stopped);
            }
            let Stopped { failed, row } = stopped;
            tries.again(loan, failed.clone()).map_err(|_| Stopped { failed, row })?;
        }
    }

    async fn attempt(
        &self,
        loan: &mut Loan,
        batch: &Batch<Row>,
        strategy: Strategy<'_>,
    ) -> Result<Vec<RowSet>, Stopped> {
        let autocommit = self.autocommit(&loan.lane, strategy, batch);
        let live = loan.lane.live_for(autocommit).await.map_err(Failed::to_connect)?;
        mark(batch, Mark::Begun);
        // The first of its kind on a connection is prepared there, and the server may be silent by now.
        let ready = Box::pin(self.ready(&live, autocommit.is_none(), strategy));
        let ready = self.pool.database().watched(ready).await.map_err(Failed::to_connect)?;
        let (prepared, beginning) = ready?;
        if live.client.is_closed() {
            // Nothing of it was sent.
            return Err(Failed::to_connect(unavailable("the connection broke")).into());
        }
        loan.running = Some(Rc::clone(&live));
        let commits = self.pool.database().commits();
        let mut any = commits.begin();
        any.any(self.insert.table(), Action::Insert);
        let sent = live.sends_commit(commits, any);
        let flush: LocalBoxFuture<'_, _> = match strategy {
            Strategy::Matched(matched) => {
                Box::pin(self.flush_matched(&live, beginning.as_ref(), matched, &prepared, batch))
            }
            Strategy::Singly(_) => {
                Box::pin(self.flush(&live, beginning.as_ref(), &prepared, batch))
            }
        };
        let database = self.pool.database();
        let flush = database.noting(&live, flush);
        let each = each_in_time(&live.arriving, database.limits().statement_timeout, flush);
        // `COMMIT` is on its way behind what still runs.
        let inserted = database.watched(Box::pin(each)).await.and_then(|ended| ended);
        let inserted = inserted.unwrap_or_else(|error| Err(Failed::unknown(error).into()));
        let is_open = |stopped: &Stopped| stopped.failed.error.code == Code::OutcomeUnknown;
        match &inserted {
            Ok(sets) => sent.committed_as(self.changes(batch, sets)).await,
            // Told so when it is dropped.
            Err(stopped) if is_open(stopped) => return inserted,
            Err(stopped) => {
                sent.refused();
                if matches!(stopped.failed.remedy, Recovery::Reconnect) {
                    // The server ends the session: later statements would get no answer.
                    loan.lane.drop_connection();
                }
            }
        }
        loan.running = None;
        inserted
    }

    /// What a batch needs on its connection: its statement, and what begins its transaction.
    async fn ready(
        &self,
        live: &Rc<Live>,
        has_block: bool,
        strategy: Strategy<'_>,
    ) -> Result<(tokio_postgres::Statement, Option<Beginning>), Stopped> {
        let prepared = live.prepared(strategy.sql(), strategy.first(), &self.insert.codecs).await;
        let prepared = prepared.map_err(Failed::from)?;
        if !has_block {
            return Ok((prepared, None));
        }
        let begin = session::begin(self.commit);
        let beginning = Beginning::ready(live, begin, self.identity.as_ref()).await;
        Ok((prepared, Some(beginning.map_err(Failed::from)?)))
    }

    /// A single statement that needs no settings is its own transaction, which saves the server two
    /// messages, and each side two answers.
    fn autocommit(
        &self,
        lane: &Lane,
        strategy: Strategy<'_>,
        batch: &Batch<Row>,
    ) -> Option<Autocommit> {
        let is_one = matches!(strategy, Strategy::Matched(_)) || batch.jobs().len() == 1;
        let is_plain = self.identity.is_none() && self.patience(batch, Instant::now()).is_none();
        // Errors of its statement and its commit are indistinguishable.
        let is_timed = batch.jobs().iter().any(|job| job.item.times.is_some());
        // Others set the session, which the next block sets back: worth it where they follow each other.
        let is_usual = lane.is_usual_class(self.commit) || self.commit == CommitClass::Group;
        let fits = is_one && is_plain && is_usual && !is_timed && !self.pool.database().is_pooled();
        fits.then_some(Autocommit::of(self.commit))
    }

    /// What a batch has changed.
    fn changes(&self, batch: &Batch<Row>, sets: &[RowSet]) -> Changes {
        let mut changes = self.pool.database().commits().begin();
        let count = sets.iter().map(|set| set.len() as u64).sum();
        changes.rows(self.insert.table(), Action::Insert, count, || {
            let rows = batch.jobs().iter().zip(sets);
            Some(rows.filter_map(|(job, set)| self.insert.change(&job.item.values, set)).collect())
        });
        changes
    }

    /// Sends what inserts the rows of a batch between the beginning and the end of its transaction, unless its one
    /// statement is the transaction.
    async fn in_block<T>(
        &self,
        live: &Live,
        beginning: Option<&Beginning>,
        batch: &Batch<Row>,
        inserted: LocalBoxFuture<'_, T>,
    ) -> Result<Ended<T>, Stopped> {
        let Some(beginning) = beginning else {
            let inserted = inserted.await;
            mark(batch, Mark::Committed);
            return Ok(Ended { inserted, committed: Ok(()) });
        };
        // In a place of their own: what needs none of them does not carry them along.
        let begin = Box::pin(self.begin(live, beginning, batch));
        let committed = Box::pin(committed(batch, self.commit(live)));
        let (begun, inserted, committed) = join3(begin, inserted, committed).await;
        begun?;
        Ok(Ended { inserted, committed })
    }

    /// Begins the transaction of a batch and limits its waits for locks. All of it is sent at the first poll.
    async fn begin(
        &self,
        live: &Live,
        beginning: &Beginning,
        batch: &Batch<Row>,
    ) -> Result<(), Stopped> {
        let patience = self.patience(batch, Instant::now());
        let limit = limit_locks(&live.client, patience);
        let (begun, limited) = join(beginning.begin(&live.client), limit).await;
        begun.map_err(before_commit)?;
        limited.map_err(|error| before_commit(error.into()))?;
        Ok(())
    }

    /// Commits the transaction.
    async fn commit(&self, live: &Live) -> Result<(), Stopped> {
        let committed = live.client.batch_execute("COMMIT").await;
        committed.map_err(|error| Failed::to_commit(&error).into())
    }

    /// Sends the whole transaction in one flush. If the connection breaks before the server replies, the
    /// outcome is unknown.
    async fn flush(
        &self,
        live: &Live,
        beginning: Option<&Beginning>,
        prepared: &tokio_postgres::Statement,
        batch: &Batch<Row>,
    ) -> Result<Vec<RowSet>, Stopped> {
        let (statement, codecs) = (&self.insert.statement, &self.insert.codecs);
        let kept = live.kept(self.pool.database().rows());
        let each = batch.jobs().iter().map(|job| {
            let parameters = bind::one(statement, &job.item.values);
            // As much comes back as was sent.
            run::level(&live.client, prepared, parameters, codecs, &kept)
        });
        let inserted = Box::pin(executed(batch, join_all(each)));
        let Ended { inserted: sets, committed } =
            self.in_block(live, beginning, batch, inserted).await?;
        let mut inserted = Vec::with_capacity(sets.len());
        for (row, set) in sets.into_iter().enumerate() {
            // After the first error the others only say that there was one.
            let stopped = |stop| Stopped { failed: before_commit(stop), row: Some(row) };
            inserted.push(set.map_err(stopped)?);
        }
        committed?;
        Ok(inserted)
    }

    /// The same with one statement for all rows.
    async fn flush_matched(
        &self,
        live: &Live,
        beginning: Option<&Beginning>,
        matched: &MatchedInsert,
        prepared: &tokio_postgres::Statement,
        batch: &Batch<Row>,
    ) -> Result<Vec<RowSet>, Stopped> {
        let rows: Vec<&[Value]> = batch.jobs().iter().map(|job| &job.item.values[..]).collect();
        let kept = live.kept(self.pool.database().rows());
        let rows = MatchedRows { insert: &self.insert, matched, rows: &rows };
        let insert = matched::insert(&live.client, prepared, rows, &kept);
        let insert = Box::pin(executed(batch, insert));
        let Ended { inserted, committed } = self.in_block(live, beginning, batch, insert).await?;
        let inserted = inserted.map_err(before_commit)?;
        committed?;
        if inserted.iter().all(|set| set.len() == 1) {
            return Ok(inserted);
        }
        let cause = "the database has inserted other rows than it was given";
        Err(Failed::new(refusal(Code::OutcomeUnknown).cause(cause), Recovery::None).into())
    }
}

/// The moment is noted for each row whose times are reported.
fn mark(batch: &Batch<Row>, mark: Mark) {
    batch.jobs().iter().for_each(|job| job.item.mark(mark));
}

/// Inserts rows, and records when they are stored.
async fn executed<T>(batch: &Batch<Row>, insert: impl Future<Output = T>) -> T {
    let inserted = insert.await;
    mark(batch, Mark::Executed);
    inserted
}

/// Commits, and notes when that has ended.
async fn committed<T>(batch: &Batch<Row>, commit: impl Future<Output = T>) -> T {
    let committed = commit.await;
    mark(batch, Mark::Committed);
    committed
}

/// Counts the rows of a transaction that is complete.
fn counted(loan: &Loan, sets: Vec<RowSet>) -> Vec<RowSet> {
    let rows = sets.iter().map(|set| set.len() as u64).sum();
    loan.lane.statistics().wrote(sets.len(), rows);
    sets
}

/// Whether a batch may hold its connection for long.
fn class(batch: &Batch<Row>) -> Class {
    if batch.attempt() == Attempt::Alone { Class::Isolated } else { Class::Normal }
}

fn answer_all(jobs: Vec<Job<Row>>, error: &Error) {
    jobs.into_iter().for_each(|job| job.item.answer(Err(error.clone())));
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) | Value::RawText(bytes) => bytes.len() * 2,
        _ => 8,
    }
}
