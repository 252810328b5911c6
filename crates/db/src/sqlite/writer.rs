//! The one thread that writes, and the queue before it.
//!
//! SQLite lets one connection write at a time. So all writes queue here, none of them ever meets
//! another's lock, and all writes that wait when the thread is free share one transaction, which costs
//! one sync of the disk; see [`batch`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::{BatchLimits, Batches, Deadline, Job, Metrics, Refusal, Request, Run, Work};
use duet_model::{Error, Result};
use tokio::sync::oneshot;

use crate::limits::Limits;
use crate::sqlite::batch::{self, Fate};
use crate::sqlite::connection::{BUSY, Opened};
use crate::sqlite::database::Database;
use crate::sqlite::failure::error_of;
use crate::sqlite::foreign::{self, Foreign, Watch};
use crate::sqlite::run::Statements;
use crate::sqlite::session::{Connected, Stopwatch, Writing};
use crate::sqlite::slice::STEPS_PER_CHECK;
use crate::sqlite::ticket::{CancelOnDrop, Ticket, locked, overloaded, write_held};
use crate::sqlite::version::Version;
use crate::write::{Ending, Write};

/// How long a write whose transaction was undone by a neighbour may wait for another one.
const SECOND_TRY: Duration = Duration::from_secs(1);

/// How often a write that has waited for long looks whether the file is locked.
const LOOK: Duration = Duration::from_millis(20);

/// A write in the queue, whatever it does.
pub(crate) trait WriteJob: Send {
    /// Whether anybody still waits for it.
    fn is_wanted(&self) -> bool;

    /// Until when it may wait for its transaction.
    fn deadline(&self) -> Deadline;

    /// Its transaction has begun; false where no caller waits any more. From here on it is finished,
    /// and its caller waits for that.
    fn begin(&mut self) -> bool;

    /// Does the work and keeps its answer, whose outcome is known.
    fn run(&mut self, session: &mut Writing<'_, '_>) -> Result<Fate>;

    /// Answers: what the work gave, or an error.
    fn answer(self: Box<Self>, end: Result<()>);

    /// Why it has waited in vain.
    fn in_vain(&self) -> Error;
}

impl Work for Box<dyn WriteJob> {
    fn is_abandoned(&self) -> bool {
        !self.is_wanted()
    }

    fn refuse(self, _: Refusal) {
        let error = self.in_vain();
        self.answer(Err(error));
    }
}

/// Writes that have left the queue, counted as running until they are dropped.
pub(crate) type Jobs = Vec<Job<Box<dyn WriteJob>>>;

/// A write and who waits for it.
struct Queued<W: Write> {
    work: Arc<W>,
    ticket: Arc<Ticket>,
    reply: oneshot::Sender<Result<W::Output>>,
    output: Option<W::Output>,
    deadline: Deadline,
    progress: Arc<Progress>,
    /// Whether a transaction has begun with it: where that came to nothing, it may run again.
    begun: bool,
}

impl<W: Write> WriteJob for Queued<W> {
    fn is_wanted(&self) -> bool {
        self.begun || !self.ticket.is_given_up()
    }

    fn deadline(&self) -> Deadline {
        // A neighbour has undone its transaction: it gets time for another one.
        let again = Deadline::after(Instant::now(), SECOND_TRY);
        if self.begun && again.end() > self.deadline.end() { again } else { self.deadline }
    }

    fn begin(&mut self) -> bool {
        self.begun = self.begun || self.ticket.leave_queue(Ticket::RUNNING);
        self.begun
    }

    fn run(&mut self, session: &mut Writing<'_, '_>) -> Result<Fate> {
        let work = Arc::clone(&self.work);
        // A bug in one write must not end the thread that all writes need.
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::from_waker(Waker::noop());
            match pin!(work.run(session)).poll(&mut context) {
                Poll::Ready(ended) => ended,
                Poll::Pending => Err(Error::internal("a write has waited for something else")),
            }
        }));
        let ended = ended.map_err(|_| {
            self.progress.metrics.panicked();
            Error::internal("a write has panicked")
        })??;
        if let Some(error) = session.failure() {
            return Err(error);
        }
        let (output, fate) = match ended {
            Ending::Commit(output) => (output, Fate::Keep),
            Ending::Rollback(output) => (output, Fate::Undo),
        };
        self.output = Some(output);
        Ok(fate)
    }

    fn answer(self: Box<Self>, end: Result<()>) {
        let output = self.output.ok_or_else(|| Error::internal("a write has no answer"));
        // A caller that has gone needs no response.
        drop(self.reply.send(end.and(output)));
    }

    fn in_vain(&self) -> Error {
        self.progress.in_vain()
    }
}

/// What the writing thread is at, or was at last before it could not begin a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It runs writes, or there are none.
    Work = 0,
    /// It waits for a bulk load to end its transaction.
    Turn = 1,
    /// It waits for another program's lock.
    Lock = 2,
}

/// Where the writing thread is, and the counters of its queue.
struct Progress {
    phase: AtomicU8,
    metrics: Arc<Metrics>,
}

impl Progress {
    /// Why a write has waited in vain.
    fn in_vain(&self) -> Error {
        match self.phase.load(Ordering::Relaxed) {
            phase if phase == Phase::Turn as u8 => write_held(),
            phase if phase == Phase::Lock as u8 => locked(),
            _ => overloaded(),
        }
    }
}

/// The queue; the thread is started when first needed. One transaction takes all that wait, up to the
/// limit, in turn by client.
pub(crate) struct Writer {
    progress: Arc<Progress>,
    queue_timeout: Duration,
    lock_timeout: Duration,
    queue: Batches<Box<dyn WriteJob>>,
    wake: Sender<Wake>,
    source: Mutex<Option<Source>>,
}

/// What the thread wakes up for.
enum Wake {
    /// Writes wait.
    Run(Run<Box<dyn WriteJob>>),
    /// It is to look whether others have committed, and to go on doing so.
    Look,
}

/// Where the thread's batches come from.
struct Source {
    receiver: Receiver<Wake>,
    /// The one that is under way.
    run: Option<Run<Box<dyn WriteJob>>>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    pub(crate) fn new(limits: &Limits, metrics: &Arc<Metrics>) -> Self {
        let phase = AtomicU8::new(Phase::Work as u8);
        let bounds = BatchLimits {
            slots: 1,
            batch: limits.batch,
            length: limits.queue_length,
            ..BatchLimits::default()
        };
        let (wake, receiver) = channel();
        Self {
            progress: Arc::new(Progress { phase, metrics: Arc::clone(metrics) }),
            queue_timeout: limits.queue_timeout,
            lock_timeout: limits.lock_timeout,
            queue: Batches::new(bounds, Arc::clone(metrics)),
            wake,
            source: Mutex::new(Some(Source { receiver, run: None })),
        }
    }

    /// Says what the thread is at.
    pub(crate) fn is_in(&self, phase: Phase) {
        self.progress.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Why a write has waited in vain.
    pub(crate) fn in_vain(&self) -> Error {
        self.progress.in_vain()
    }

    /// Writes when its turn comes; not where the queue, the turn and the file's lock take too long
    /// together. Where the caller goes away before its transaction has begun, nothing is written;
    /// once begun, the write is finished.
    pub(crate) async fn write<W: Write>(
        &self,
        database: &Arc<Database>,
        request: Request,
        work: Arc<W>,
    ) -> Result<W::Output> {
        self.start(database)?;
        let (reply, mut answer) = oneshot::channel();
        let ticket = Arc::new(Ticket::default());
        let cancel = CancelOnDrop(Arc::clone(&ticket));
        let request = request.within(self.queue_timeout);
        let (deadline, progress) = (request.deadline, Arc::clone(&self.progress));
        let begun = false;
        let job: Box<dyn WriteJob> =
            Box::new(Queued { work, ticket, reply, output: None, deadline, progress, begun });
        let place = self.queue.submit(Instant::now(), Job::new(request, job));
        let place = place.map_err(|refusal| match refusal {
            Refusal::Full => overloaded(),
            Refusal::Expired => self.in_vain(),
        })?;
        if let Some(run) = self.queue.begin() {
            self.wake(Wake::Run(run))?;
        }
        let answer = match self.patiently(request, &mut answer).await {
            Ok(answer) => answer,
            // In the queue, or in a batch that cannot begin.
            Err(error) if place.expire() || cancel.0.leave_queue(Ticket::GIVEN_UP) => {
                return Err(error);
            }
            Err(_) => answer.await,
        };
        answer.map_err(|_| Error::internal("the writing thread has panicked"))?
    }

    fn wake(&self, wake: Wake) -> Result<()> {
        self.wake.send(wake).map_err(|_| Error::internal("the writing thread has stopped"))
    }

    /// Has the thread look whether others have committed; answers when it has.
    pub(crate) fn look(&self, database: &Arc<Database>) -> Result<oneshot::Receiver<()>> {
        self.start(database)?;
        let looked = database.foreign().next_look();
        self.wake(Wake::Look).map(|()| looked)
    }

    /// The same for a thread that may wait; nothing happens where no thread writes yet.
    pub(crate) fn look_and_wait(&self, foreign: &Foreign) {
        let looked = foreign.next_look();
        if self.wake(Wake::Look).is_ok() {
            // Where the thread has failed, it begins anew, and its first look sees all.
            let _ = looked.blocking_recv();
        }
    }

    /// Waits until the deadline; while another program keeps the file locked, no longer than a write
    /// may wait for that, be it in the queue or in a batch.
    async fn patiently<T>(&self, request: Request, answer: impl Future<Output = T>) -> Result<T> {
        let mut answer = pin!(answer);
        let last = request.deadline.end();
        let mut until = request.within(self.lock_timeout).deadline.end();
        loop {
            if let Ok(answer) = tokio::time::timeout_at(until.into(), &mut answer).await {
                return Ok(answer);
            }
            // Said now: in the next moment the thread may be at another batch.
            if self.progress.phase.load(Ordering::Relaxed) == Phase::Lock as u8 {
                return Err(locked());
            }
            if until >= last {
                return Err(self.in_vain());
            }
            until = last.min(Instant::now() + LOOK);
        }
    }

    fn start(&self, database: &Arc<Database>) -> Result<()> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut source) = source.take() else { return Ok(()) };
        // The thread ends with the database, whose queue it reads.
        let (database, metrics) = (Arc::downgrade(database), Arc::clone(self.queue.metrics()));
        thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                // A bug ends the batch that has met it, and its callers are told; not the thread.
                while catch_unwind(AssertUnwindSafe(|| serve(&database, &mut source))).is_err() {
                    metrics.panicked();
                }
            })
            .map(drop)
            .map_err(Error::internal)
    }
}

/// The thread's life: a connection after the other, as the file at the path changes.
fn serve(database: &Weak<Database>, source: &mut Source) {
    if let Some(database) = database.upgrade() {
        database.writer().is_in(Phase::Work);
    }
    let mut next = take(database, source);
    while let Some((shared, jobs)) = next {
        next = match shared.connect_to_write() {
            Ok(opened) => {
                // Only the thread's callers keep the database: it must be able to end.
                drop(shared);
                serve_from(database, source, opened, jobs)
            }
            Err(error) if jobs.is_empty() => {
                tracing::debug!(%error, "others' commits are watched for by a connection that reads");
                watch_only(database, source, shared)
            }
            Err(error) => {
                drop(shared);
                answer_all(jobs, &error);
                take(database, source)
            }
        };
    }
}

pub(crate) fn answer_all(jobs: Jobs, error: &Error) {
    jobs.into_iter().for_each(|job| job.item.answer(Err(error.clone())));
}

/// Waits for writes and takes all that are there; none, where it is only time to look whether others have
/// committed. `None` at the end of the database.
fn take(database: &Weak<Database>, source: &mut Source) -> Option<(Arc<Database>, Jobs)> {
    loop {
        if let Some(run) = &mut source.run {
            let now = Instant::now();
            if let Some(batch) = run.take(now) {
                let database = database.upgrade()?;
                return Some((database, run.done(now, batch)));
            }
        }
        source.run = None;
        let watches = database.upgrade()?.foreign().is_on();
        let wake = match watches {
            true => source.receiver.recv_timeout(foreign::EVERY),
            false => source.receiver.recv().map_err(RecvTimeoutError::from),
        };
        match wake {
            Ok(Wake::Run(run)) => source.run = Some(run),
            Ok(Wake::Look) | Err(RecvTimeoutError::Timeout) => {
                return Some((database.upgrade()?, Jobs::new()));
            }
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Looks whether others have committed to a file that cannot be written, until something is to be
/// written or the file at the path has changed; gives what comes then.
fn watch_only(
    weak: &Weak<Database>,
    source: &mut Source,
    shared: Arc<Database>,
) -> Option<(Arc<Database>, Jobs)> {
    let opened = shared.connect_for(BUSY);
    let watch = opened.as_ref().map(|opened| (opened, Watch::new(opened)));
    let Ok((opened, Ok(mut watch))) = watch else {
        shared.foreign().cannot_look(shared.commits());
        drop(shared);
        return take(weak, source);
    };
    let mut next = Some((shared, Jobs::new()));
    while let Some((database, jobs)) = next {
        if !jobs.is_empty() || database.look().is_err() || !database.is_current(opened) {
            return Some((database, jobs));
        }
        database.foreign().look(&mut watch, database.commits());
        drop(database);
        next = take(weak, source);
    }
    None
}

/// Writes to one file, until another is in its place; gives what is to be written there.
fn serve_from(
    weak: &Weak<Database>,
    source: &mut Source,
    mut opened: Opened,
    jobs: Jobs,
) -> Option<(Arc<Database>, Jobs)> {
    let deadline = Stopwatch::new();
    let watched = Arc::clone(&deadline);
    let over = move || watched.is_over();
    let ready = opened.progress_handler(STEPS_PER_CHECK, Some(over));
    let opened = &opened;
    let watch = match ready.and_then(|()| Watch::new(opened)) {
        Ok(watch) => watch,
        Err(error) => {
            answer_all(jobs, &error_of(&error));
            return take(weak, source);
        }
    };
    let mut kept = Some((Statements::default(), Version::default(), watch));
    let mut next = weak.upgrade().map(|database| (database, jobs));
    while let Some((database, jobs)) = next {
        // A writer to a file that was deleted has written nothing.
        if database.look().is_err() || !database.is_current(opened) {
            return Some((database, jobs));
        }
        let (statements, version, watch) = kept.take()?;
        let deadline = &*deadline;
        let mut connected =
            Connected { database, connection: opened, deadline, statements, version, watch };
        let usable = match jobs.is_empty() {
            true => {
                batch::look(&mut connected);
                true
            }
            false => batch::run(&mut connected, opened, jobs),
        };
        // Not kept while the thread waits: the database must be able to end.
        let Connected { statements, version, database, watch, .. } = connected;
        drop(database);
        kept = Some((statements, version, watch));
        next = take(weak, source);
        if !usable {
            return next;
        }
    }
    None
}
