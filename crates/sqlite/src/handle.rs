//! A worker's hold on a SQLite file.
//!
//! Reads by key and small pages are batched naturally here too: all that are ready in one iteration of the
//! worker's event loop are read in one transaction, begun after all of them have arrived. That saves
//! SQLite's locks and the hand-over to another thread, and no read sees a snapshot older than its
//! request. A read that takes long or returns much is stopped here and repeated by a reader thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use duet_admission::{BatchLimits, Batches, Job, Metrics, Refusal, Request, Run, Ticket, Work};
use duet_document::{FetchedRows, RowSet};
use duet_model::{Code, Error, Result, Root, Value};
use duet_sql::Statement;
use duet_store::limits::Limits;
use duet_store::queues::admit::refused;
use duet_store::queues::classes::Classes;
use duet_store::read::{Answer, CountOf, ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use duet_store::statistics::Statistics;
use duet_store::worker::stream::Chunks;
use duet_store::worker::{Caller, Worker, WorkerParts, without_roles};
use duet_store::write::insert::InsertBatch;
use duet_store::write::insert_one::InsertOne;
use duet_store::write::{AnyWrite, KeptOutput};
use foldhash::fast::RandomState;
use rusqlite::Connection;
use tokio::sync::{Notify, oneshot};

use crate::connection::failure::error_of;
use crate::connection::slice::TimeSlice;
use crate::connection::{Opened, is_locked};
use crate::database::Database;
use crate::file::large::{SMALL_VALUE, is_too_large, limit_values};
use crate::file::version::Version;
use crate::read::counted_steps::{Verdicts, are_short};
use crate::read::run::{self, Statements};
use crate::read::snapshots::Snapshots;

/// What messages call the store.
const NAME: &str = "SQLite";

/// A worker's own connection, and the way to the reader threads.
#[derive(Debug)]
pub(crate) struct Handle {
    database: Arc<Database>,
    queue: Rc<Queue>,
    /// Taken by the task that reads, when the first request comes.
    connection: RefCell<Option<Opened>>,
}

/// The reads that wait for this worker, in rotation of clients, and the waker of the task that serves them.
#[derive(Debug)]
struct Queue {
    reads: Batches<PendingRead>,
    arrived: Notify,
    /// Reads that lately took too long for a worker's thread, and until when they are avoided.
    slow: RefCell<HashMap<u64, Instant, RandomState>>,
}

/// A read in the queue, and who waits for it.
#[derive(Debug)]
enum PendingRead {
    Key { read: Arc<KeyedRead>, key: Vec<Value>, reply: oneshot::Sender<Result<Answer>> },
    Page { read: Arc<PageRead>, shape: u64, reply: oneshot::Sender<Result<Answer>> },
}

impl Work for PendingRead {
    fn is_abandoned(&self) -> bool {
        self.reply().is_closed()
    }

    fn refuse(self, refusal: Refusal) {
        self.answer(Err(refused(refusal)));
    }
}

impl PendingRead {
    /// Tells all reads apart that are slow for different reasons.
    fn id(&self) -> u64 {
        match self {
            Self::Key { read, .. } => read.id,
            Self::Page { shape, .. } => *shape,
        }
    }

    fn statements(&self) -> &[Statement] {
        match self {
            Self::Key { read, .. } => &read.statements,
            Self::Page { read, .. } => &read.statements,
        }
    }

    fn reply(&self) -> &oneshot::Sender<Result<Answer>> {
        let (Self::Key { reply, .. } | Self::Page { reply, .. }) = self;
        reply
    }

    /// A disconnected caller needs no answer.
    fn answer(self, answer: Result<Answer>) {
        let (Self::Key { reply, .. } | Self::Page { reply, .. }) = self;
        let _ = reply.send(answer);
    }
}

impl Handle {
    pub(crate) fn attach(database: &Arc<Database>) -> Result<Self> {
        Ok(Self {
            connection: RefCell::new(Some(database.connect()?)),
            database: Arc::clone(database),
            queue: Rc::new(Queue::new(database)),
        })
    }

    /// Queues a read until the returned value is dropped; the first one starts the task that
    /// serves it.
    fn push(&self, request: Request, waiting: PendingRead) -> Result<Ticket<PendingRead>> {
        if let Some(connection) = self.connection.borrow_mut().take() {
            let (database, queue) = (Arc::clone(&self.database), Rc::clone(&self.queue));
            tokio::task::spawn_local(serve(database, connection, queue));
        }
        let place = self.queue.reads.submit(Instant::now(), Job::new(request, waiting));
        self.queue.arrived.notify_one();
        place.map_err(refused)
    }
}

impl WorkerParts for Handle {
    fn limits(&self) -> &Limits {
        self.database.limits()
    }

    fn classes(&self) -> &Classes {
        self.database.classes()
    }

    fn statistics(&self) -> &Statistics {
        self.database.statistics()
    }

    /// Records what the error of a request shows about the file.
    fn note(&self, error: &Error) {
        self.database.health().note(error);
    }

    /// See [`Handle::learn_schema`](duet_store::Handle::learn_schema). A lock of another program is no error here.
    fn learn_schema(&self) -> Result<()> {
        let connection = self.connection.borrow();
        let Some(opened) = connection.as_ref() else { return Ok(()) };
        match opened.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
            Err(error) if is_locked(&error) => Ok(()),
            read => read.map_err(|error| error_of(&error)),
        }
    }
}

impl Worker for Handle {
    /// Reads on this thread; if another program's lock blocks it or it takes long, a reader
    /// thread does it instead, so that this worker goes on. Must run inside a local task set.
    async fn by_key(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Answer> {
        without_roles(NAME, caller.identity)?;
        let (reply, answer) = oneshot::channel();
        let waiting = PendingRead::Key { read: Arc::clone(read), key: key.clone(), reply };
        let place = self.push(request, waiting)?;
        let answer = answer.await.map_err(|_| no_answer())?;
        place.answered();
        match answer {
            Err(error) if is_for_a_reader(&error) => {
                let readers = self.database.readers();
                // Boxed, as it is rare and its future large.
                let fetched =
                    Box::pin(readers.by_key(self.database.file(), request, read, key)).await?;
                let row = (!fetched.roots().is_empty()).then_some(0);
                Ok(Answer { fetched: Rc::new(fetched), row })
            }
            answer => answer,
        }
    }

    async fn write(
        &self,
        request: Request,
        caller: &Caller<'_>,
        work: Arc<AnyWrite>,
    ) -> Result<()> {
        without_roles(NAME, caller.identity)?;
        let commit = caller.commit;
        self.database.writer().write(self.database.file(), request, commit, work).await
    }

    /// Inserts one row; it shares its transaction, not its statement.
    async fn insert(
        &self,
        request: Request,
        caller: &Caller<'_>,
        insert: &Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> Result<Answer> {
        without_roles(NAME, caller.identity)?;
        insert.check(&row)?;
        let call = insert.call(row, self.database.commits().needs_rows());
        let kept = KeptOutput::new(Arc::new(InsertOne { call, times: caller.times.cloned() }));
        self.write(request, caller, Arc::<KeptOutput<InsertOne>>::clone(&kept)).await?;
        let set = kept.take()?.unwrap_or_else(|| RowSet::new(insert.codecs.len()));
        let row = (!set.is_empty()).then_some(0);
        let as_of = if insert.plan.shape.metadata { self.database.changes(true) } else { 0 };
        let fetched = FetchedRows::of_root(set, as_of);
        Ok(Answer { fetched: Rc::new(fetched), row })
    }

    /// Reads a page: a small one on this thread, if it does not take long; else a reader thread does.
    async fn page(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> Result<(Answer, Option<RowCount>)> {
        without_roles(NAME, caller.identity)?;
        let shape = shape_of(read);
        if is_small(read) && !self.queue.is_slow(shape) {
            let (reply, answer) = oneshot::channel();
            let waiting = PendingRead::Page { read: Arc::clone(read), shape, reply };
            let place = self.push(request, waiting)?;
            let answer = answer.await.map_err(|_| no_answer())?;
            place.answered();
            match answer {
                Err(error) if is_for_a_reader(&error) => {}
                Ok(answer) if read.count != CountOf::Nothing => {
                    let total = match read.total_of(answer.fetched.roots().len()) {
                        None => self.total(request, caller, read).await?,
                        known => known,
                    };
                    return Ok((answer, total));
                }
                answer => return answer.map(|answer| (answer, None)),
            }
        }
        let readers = self.database.readers();
        let (fetched, count) =
            Box::pin(readers.page(self.database.file(), request, Arc::clone(read))).await?;
        Ok((Answer { fetched: Rc::new(fetched), row: None }, count))
    }

    /// The total of a page that was read.
    async fn total(
        &self,
        request: Request,
        _: &Caller<'_>,
        read: &Arc<PageRead>,
    ) -> Result<Option<RowCount>> {
        Box::pin(self.database.readers().total(self.database.file(), request, Arc::clone(read)))
            .await
    }

    async fn explain(&self, request: Request, read: &Arc<PlanRead>) -> Result<ExplainedPlan> {
        let readers = self.database.readers();
        Box::pin(readers.explained(self.database.file(), request, Arc::clone(read))).await
    }

    async fn stream(
        &self,
        request: Request,
        caller: &Caller<'_>,
        read: PageRead,
    ) -> Result<(Box<dyn Chunks>, Duration)> {
        without_roles(NAME, caller.identity)?;
        let rows = self.database.streams().open(self.database.file(), request, read).await?;
        Ok((Box::new(rows), self.database.limits().stream_timeout))
    }
}

/// Pages of more items go directly to a reader thread.
const SMALL_PAGE: u64 = 100;
/// Pages of more bytes are read again by a reader thread.
const SMALL_PAGE_BYTES: usize = 256 << 10;

/// Whether a page is tried on the worker's thread: few items, and nothing to count. Groups are of any
/// number of rows.
fn is_small(read: &PageRead) -> bool {
    let Root::Page(page) = &read.plan.root else { return false };
    let is_grouped = duet_model::Groups::of(&read.plan.shape.root().table).is_some();
    !is_grouped
        && are_short(&read.statements)
        && page.limit <= SMALL_PAGE
        && (read.count == CountOf::Nothing || read.counts_after())
}

/// A number for all pages with the same statement; its top bit differs from that of reads by key.
fn shape_of(read: &PageRead) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    STATE.hash_one(read.statements.first().map(|statement| &statement.sql)) | 1 << 63
}

/// Whether a reader thread may do what could not be done here.
fn is_for_a_reader(error: &Error) -> bool {
    matches!(error.code, Code::DatabaseLocked | Code::Timeout | Code::AnswerTooLarge)
}

fn no_answer() -> Error {
    Error::internal("a batch has ended without an answer")
}

impl Queue {
    fn new(database: &Database) -> Self {
        let limits = database.limits();
        let bounds = BatchLimits {
            length: limits.queue_length,
            batch: limits.batch,
            ..BatchLimits::default()
        };
        let reads = Batches::new(bounds, Arc::clone(&database.queues().worker().read));
        Self { reads, arrived: Notify::new(), slow: RefCell::default() }
    }

    /// Whether a read has lately taken too long.
    fn is_slow(&self, read: u64) -> bool {
        let slow = self.slow.borrow();
        slow.get(&read).is_some_and(|until| Instant::now() < *until)
    }

    /// Avoids a read for a while, in which it is not tried here.
    fn avoid(&self, waiting: &PendingRead) {
        let time = match waiting {
            PendingRead::Key { .. } => AVOIDED,
            PendingRead::Page { .. } => AVOIDED_PAGE,
        };
        let (mut slow, now) = (self.slow.borrow_mut(), Instant::now());
        if slow.len() >= MOST_AVOIDED {
            slow.retain(|_, until| now < *until);
        }
        if slow.len() < MOST_AVOIDED {
            // One that is avoided already is not tried again later for that.
            let until = slow.entry(waiting.id()).or_insert(now);
            *until = if *until > now { *until } else { now + time };
        }
    }
}

/// How long a read may keep a worker's thread, and how long one that took longer is not tried
/// there again.
const SLICE: Duration = Duration::from_millis(10);
/// How long the reads of a batch may keep it together before the others are handed to reader threads.
const TURN: Duration = Duration::from_millis(10);
/// How many steps of SQLite's machine pass here between two looks at the clock: each may read a value of
/// [`SMALL_PAGE_BYTES`].
const STEPS: i32 = 200;
const AVOIDED: Duration = Duration::from_secs(1);
/// The same for pages, which may be slow in more ways: many shapes of filters, few of them often.
const SLICE_PAGE: Duration = Duration::from_millis(2);
const AVOIDED_PAGE: Duration = Duration::from_secs(30);
/// How many reads are avoided at most.
const MOST_AVOIDED: usize = 10_000;
/// Reads for waiting callers, until the worker ends.
async fn serve(database: Arc<Database>, opened: Opened, queue: Rc<Queue>) {
    let mut opened: Result<Opened> = Ok(opened);
    while Rc::strong_count(&queue) > 1 {
        match &mut opened {
            Ok(opened) => serve_from(&database, opened, &queue).await,
            Err(error) => {
                if let Some(run) = queue.reads.begin() {
                    answer_all(run, error);
                }
                queue.arrived.notified().await;
            }
        }
        opened = database.connect();
    }
}

/// Reads from one file, until another is in its place.
async fn serve_from(database: &Database, connection: &mut Opened, queue: &Rc<Queue>) {
    let slice = Arc::new(TimeSlice::new(SLICE));
    let over = Arc::clone(&slice);
    let watched = connection.interrupt_when(STEPS, move || over.is_over());
    let connection = &*connection;
    let limited = limit_values(connection, i32::try_from(SMALL_PAGE_BYTES).unwrap_or(SMALL_VALUE));
    let begun = watched.and(limited).and_then(|()| Snapshots::of(connection, &slice));
    let Ok(mut snapshots) = begun else { return };
    let mut reading = Reading {
        database,
        connection,
        queue,
        slice: &slice,
        version: Version::default(),
        statements: Statements::default(),
        verdicts: Verdicts::default(),
    };
    while database.is_current(connection) && Rc::strong_count(queue) > 1 {
        let Some(mut run) = queue.reads.begin() else {
            queue.arrived.notified().await;
            continue;
        };
        while database.is_current(connection)
            && let Some(batch) = run.take(Instant::now())
        {
            // All members are read in the time that one may take, or handed on.
            let begun_at = batch.begun();
            let jobs = run.done(begun_at, batch);
            database.statistics().batch(jobs.len());
            let several = jobs.len() > 1;
            let read = || reading.read_all(jobs, begun_at, queue.reads.metrics());
            // Alone, the open statement is the transaction.
            let has_panicked = match several {
                true => snapshots.around(read),
                false => read(),
            };
            if has_panicked {
                // The connection may be in any state.
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// What a task reads with.
struct Reading<'c> {
    database: &'c Database,
    connection: &'c Connection,
    queue: &'c Queue,
    slice: &'c TimeSlice,
    version: Version,
    statements: Statements<'c>,
    verdicts: Verdicts,
}

impl Reading<'_> {
    /// Reads for the members of a batch and answers each; whether one has panicked.
    fn read_all(&mut self, jobs: Vec<Job<PendingRead>>, begun: Instant, metrics: &Metrics) -> bool {
        let mut has_panicked = false;
        for (at, Job { item: waiting, request, .. }) in jobs.into_iter().enumerate() {
            if waiting.reply().is_closed() {
                continue;
            }
            // The first has just been taken; the others have waited for those before them.
            let now = if at == 0 { begun } else { Instant::now() };
            if request.deadline.is_over(now) {
                waiting.refuse(Refusal::Expired);
                continue;
            }
            if now.duration_since(begun) > TURN {
                waiting.answer(Err(takes_long()));
                continue;
            }
            // A bug ends the read that has met it, and its caller gets an error; not this task.
            let answer = catch_unwind(AssertUnwindSafe(|| {
                self.read_here(&waiting, now, request.deadline.left(now))
            }));
            let answer = answer.unwrap_or_else(|_| {
                has_panicked = true;
                metrics.panicked();
                Err(Error::internal("a read has panicked"))
            });
            if answer.as_ref().is_err_and(|error| takes_too_much(error, &waiting))
                && !request.deadline.is_over(Instant::now())
            {
                self.queue.avoid(&waiting);
            }
            waiting.answer(answer);
        }
        has_panicked
    }

    /// Reads in the time that is left, unless that has lately taken too long, or may take long within a step.
    fn read_here(&mut self, waiting: &PendingRead, now: Instant, left: Duration) -> Result<Answer> {
        if self.queue.is_slow(waiting.id()) {
            return Err(takes_long());
        }
        // The time of the read before is over and does not count.
        self.slice.begin(SLICE);
        let (id, statements) = (waiting.id(), waiting.statements());
        let counted = self.verdicts.are_counted(now, id, statements, self.connection);
        if !counted.map_err(|error| error_of(&error))? {
            return Err(takes_long());
        }
        let slice = if matches!(waiting, PendingRead::Key { .. }) { SLICE } else { SLICE_PAGE };
        self.slice.begin(slice.min(left));
        read_one(self.database, self.connection, &mut self.statements, &self.version, waiting)
    }
}

/// Answers all that wait with an error.
fn answer_all(mut run: Run<PendingRead>, error: &Error) {
    while let Some(batch) = run.take(Instant::now()) {
        for job in run.done(batch.begun(), batch) {
            job.item.answer(Err(error.clone()));
        }
    }
}

/// The caller must use a reader thread.
fn takes_long() -> Error {
    Error::new(Code::Timeout, "This takes too long for a worker.")
}

/// Whether an error says that a read is not for a worker's thread.
fn takes_too_much(error: &Error, waiting: &PendingRead) -> bool {
    let is_page = matches!(waiting, PendingRead::Page { .. });
    error.code == Code::Timeout || is_page && error.code == Code::AnswerTooLarge
}

fn read_one<'c>(
    database: &Database,
    connection: &'c Connection,
    statements: &mut Statements<'c>,
    version: &Version,
    waiting: &PendingRead,
) -> Result<Answer> {
    let limit = database.rows();
    let as_of = || version.as_of(database, connection);
    let mut run = || -> rusqlite::Result<Result<Answer>> {
        Ok(match waiting {
            PendingRead::Key { read, key, .. } => {
                let prepared = statements.of(connection, read)?;
                run::by_key(prepared, read, key, limit, as_of)?.map(|fetched| {
                    let row = (!fetched.roots().is_empty()).then_some(0);
                    Answer { fetched: Rc::new(fetched), row }
                })
            }
            PendingRead::Page { read, .. } => {
                let limit = limit.at_most(SMALL_PAGE_BYTES);
                run::page_in_batch(connection, read, &limit, as_of)?
                    .map(|fetched| Answer { fetched: Rc::new(fetched), row: None })
            }
        })
    };
    match run() {
        // Memory for large values is leased where they block no other request.
        Err(error) if is_too_large(&error) => Err(limit.exceeded()),
        answer => answer.map_err(|error| error_of(&error))?,
    }
}
