//! The one thread that writes, and the queue before it.
//!
//! SQLite lets one connection write at a time. So all writes queue here, none of them ever meets
//! another's lock, and all writes that wait when the thread is free share one transaction, which costs
//! one sync of the disk; see [`batch`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::{BatchLimits, Batches, Job, Metrics, Refusal, Request, Run};
use duet_model::commit_class::CommitClass;
use duet_model::{Error, Result};
use duet_store::limits::Limits;
use duet_store::write::AnyWrite;
use duet_store::write::write_times::Mark;
use tokio::sync::oneshot;

use crate::connection::failure::error_of;
use crate::connection::late_sync::{LateSync, Syncing};
use crate::connection::slice::STEPS_PER_CHECK;
use crate::connection::ticket::{CancelOnDrop, Ticket, locked, overloaded};
use crate::connection::{BUSY, Opened};
use crate::file::File;
use crate::file::checkpoint::Checkpointer;
use crate::file::foreign::{self, Foreign, Watch};
use crate::file::version::Version;
use crate::read::run::Statements;
use crate::write::batch;
use crate::write::job::{Jobs, WriteJob, answer_all};
use crate::write::progress::{Phase, Progress};
use crate::write::session::{Connected, Stopwatch};

/// How often a write that has waited for long looks whether the file is locked.
const LOOK: Duration = Duration::from_millis(20);

/// The queue; the thread is started when first needed. One transaction takes all that wait, up to the
/// limit, in rotation of clients.
pub(crate) struct Writer {
    progress: Arc<Progress>,
    checkpointer: Arc<Checkpointer>,
    queue_timeout: Duration,
    lock_timeout: Duration,
    queue: Batches<Box<WriteJob>>,
    wake: Sender<Wake>,
    source: Mutex<Option<BatchSource>>,
}

/// What the thread wakes up for.
enum Wake {
    /// Writes wait.
    Run(Run<Box<WriteJob>>),
    /// It is to look whether others have committed, and to go on doing so.
    Look,
}

/// What the thread shares with others. Only its callers keep the file: it must be able to end.
struct Thread {
    file: Weak<File>,
    progress: Arc<Progress>,
    checkpointer: Arc<Checkpointer>,
    late: Arc<LateSync>,
}

/// Where the thread's batches come from.
struct BatchSource {
    receiver: Receiver<Wake>,
    /// The one that is under way.
    run: Option<Run<Box<WriteJob>>>,
    /// Writes for the next transaction: they must not be in that of those before them.
    next: Jobs,
}

impl BatchSource {
    /// The writes that wait now; for a transaction that is under way and can take more.
    fn arrived(&mut self) -> Jobs {
        if !self.next.is_empty() {
            return Jobs::new();
        }
        // Requests that have arrived but were not read yet get the processor first: to wait for them costs
        // less than a sync of their own. If nothing else is ready, this takes no time.
        thread::yield_now();
        let Some(run) = self.run.as_mut().filter(|run| run.has_more()) else { return Jobs::new() };
        let now = Instant::now();
        let batch = run.take(now);
        let jobs = batch.map(|batch| run.done(now, batch)).unwrap_or_default();
        match jobs.iter().position(|job| job.item.commit == CommitClass::Sync) {
            Some(alone) => self.cut(jobs, alone),
            None => jobs,
        }
    }

    /// The writes of the next transaction, of those that wait: one that wants it for itself, or those before it.
    fn transaction(&mut self, jobs: Jobs) -> Jobs {
        let alone = jobs.iter().position(|job| job.item.commit == CommitClass::Sync);
        match alone {
            Some(0) => self.cut(jobs, 1),
            Some(alone) => self.cut(jobs, alone),
            None => jobs,
        }
    }

    /// So many of the writes; the others are kept for the next transactions.
    fn cut(&mut self, mut jobs: Jobs, count: usize) -> Jobs {
        self.next = jobs.split_off(count);
        jobs
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    pub(crate) fn new(
        limits: &Limits,
        metrics: &Arc<Metrics>,
        checkpointer: &Arc<Checkpointer>,
    ) -> Self {
        let bounds = BatchLimits {
            slots: 1,
            batch: limits.batch,
            length: limits.queue_length,
            ..BatchLimits::default()
        };
        let (wake, receiver) = channel();
        Self {
            progress: Arc::new(Progress::new(metrics)),
            checkpointer: Arc::clone(checkpointer),
            queue_timeout: limits.queue_timeout,
            lock_timeout: limits.lock_timeout,
            queue: Batches::new(bounds, Arc::clone(metrics)),
            wake,
            source: Mutex::new(Some(BatchSource { receiver, run: None, next: Jobs::new() })),
        }
    }

    /// Writes in the order of the queue; fails if the queue, the gate and the file's lock take too long
    /// together. If the caller disconnects before its transaction has begun, nothing is written;
    /// once begun, the write is finished.
    pub(crate) async fn write(
        &self,
        file: &Arc<File>,
        request: Request,
        commit: CommitClass,
        work: Arc<AnyWrite>,
    ) -> Result<()> {
        self.start(file)?;
        let (reply, mut answer) = oneshot::channel();
        let ticket = Arc::new(Ticket::default());
        let cancel = CancelOnDrop(Arc::clone(&ticket));
        let request = request.within(self.queue_timeout);
        let (deadline, progress) = (request.deadline, Arc::clone(&self.progress));
        let begun = false;
        let job = Box::new(WriteJob { work, commit, ticket, reply, deadline, progress, begun });
        job.mark(Mark::Queued);
        let place = self.queue.submit(Instant::now(), Job::new(request, job));
        let place = place.map_err(|refusal| match refusal {
            Refusal::Full => overloaded(),
            Refusal::Expired => self.progress.in_vain(),
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
    pub(crate) fn look(&self, file: &Arc<File>) -> Result<oneshot::Receiver<()>> {
        self.start(file)?;
        let looked = file.foreign().next_look();
        self.wake(Wake::Look).map(|()| looked)
    }

    /// The same for a thread that may wait; nothing happens where no thread writes yet.
    pub(crate) fn look_and_wait(&self, foreign: &Foreign) {
        let looked = foreign.next_look();
        if self.wake(Wake::Look).is_ok() {
            // If the thread has failed, it restarts, and its first check sees everything.
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
            if self.progress.waits_for_lock() {
                return Err(locked());
            }
            if until >= last {
                return Err(self.progress.in_vain());
            }
            until = last.min(Instant::now() + LOOK);
        }
    }

    fn start(&self, file: &Arc<File>) -> Result<()> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut source) = source.take() else { return Ok(()) };
        // The thread ends with the database, whose queue it reads.
        let thread = Thread {
            file: Arc::downgrade(file),
            progress: Arc::clone(&self.progress),
            checkpointer: Arc::clone(&self.checkpointer),
            late: Arc::new(LateSync::new(file.path())),
        };
        let metrics = Arc::clone(self.queue.metrics());
        thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                // A bug fails its batch and its callers, not the thread.
                while catch_unwind(AssertUnwindSafe(|| serve(&thread, &mut source))).is_err() {
                    metrics.panicked();
                }
            })
            .map(drop)
            .map_err(Error::internal)
    }
}

/// The thread's life: a connection after the other, as the file at the path changes.
fn serve(thread: &Thread, source: &mut BatchSource) {
    thread.progress.is_in(Phase::Work);
    let mut next = take(thread, source);
    while let Some((shared, jobs)) = next {
        // A connection reads the file, which another program may have locked.
        thread.progress.is_in(Phase::Lock);
        let connected = thread.checkpointer.connect(&shared);
        // Writes whose time is over now have waited for that.
        if jobs.is_empty() {
            thread.progress.is_in(Phase::Work);
        }
        next = match connected {
            Ok(opened) => {
                // Only the thread's callers keep the database: it must be able to end.
                drop(shared);
                serve_from(thread, source, opened, jobs)
            }
            Err(error) if jobs.is_empty() => {
                tracing::debug!(%error, "others' commits are watched for by a connection that reads");
                watch_only(thread, source, shared)
            }
            Err(error) => {
                drop(shared);
                answer_all(jobs, &error);
                take(thread, source)
            }
        };
    }
}

/// Waits for writes and takes all that have arrived; none, if it is only time to check whether others have
/// committed. `None` at the end of the database.
fn take(thread: &Thread, source: &mut BatchSource) -> Option<(Arc<File>, Jobs)> {
    loop {
        if !source.next.is_empty() {
            let file = thread.file.upgrade()?;
            let jobs = std::mem::take(&mut source.next);
            return Some((file, source.transaction(jobs)));
        }
        if let Some(run) = &mut source.run {
            let now = Instant::now();
            if let Some(batch) = run.take(now) {
                let jobs = run.done(now, batch);
                let file = thread.file.upgrade()?;
                return Some((file, source.transaction(jobs)));
            }
        }
        source.run = None;
        let watches = thread.file.upgrade()?.foreign().is_on();
        let wake = match watches {
            true => source.receiver.recv_timeout(foreign::EVERY),
            false => source.receiver.recv().map_err(RecvTimeoutError::from),
        };
        match wake {
            Ok(Wake::Run(run)) => source.run = Some(run),
            Ok(Wake::Look) | Err(RecvTimeoutError::Timeout) => {
                return Some((thread.file.upgrade()?, Jobs::new()));
            }
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Checks whether others have committed to a file that cannot be written, until a write
/// arrives or the file at the path has changed; returns that.
fn watch_only(
    thread: &Thread,
    source: &mut BatchSource,
    shared: Arc<File>,
) -> Option<(Arc<File>, Jobs)> {
    let opened = shared.connect_for(BUSY);
    let watch = opened.as_ref().map(|opened| (opened, Watch::new(opened)));
    let Ok((opened, Ok(mut watch))) = watch else {
        shared.foreign().cannot_look(shared.commits());
        drop(shared);
        return take(thread, source);
    };
    let mut next = Some((shared, Jobs::new()));
    while let Some((file, jobs)) = next {
        if !jobs.is_empty() || file.look().is_err() || !file.is_current(opened) {
            return Some((file, jobs));
        }
        file.foreign().look(&mut watch, file.commits());
        drop(file);
        next = take(thread, source);
    }
    None
}

/// Writes to one file until it is replaced; returns the writes for the new one.
fn serve_from(
    thread: &Thread,
    source: &mut BatchSource,
    mut opened: Opened,
    jobs: Jobs,
) -> Option<(Arc<File>, Jobs)> {
    let deadline = Stopwatch::new();
    let watched = Arc::clone(&deadline);
    let over = move || watched.is_over();
    let ready = opened.interrupt_when(STEPS_PER_CHECK, over);
    let opened = &opened;
    let watch = match ready.and_then(|()| Watch::new(opened)) {
        Ok(watch) => watch,
        Err(error) => {
            answer_all(jobs, &error_of(&error));
            return take(thread, source);
        }
    };
    let usual = thread.file.upgrade().map(|file| file.synchronous()).unwrap_or_default();
    let syncing = Syncing::of(&thread.late, usual);
    let mut kept = Some((Statements::default(), Version::default(), watch));
    let mut next = thread.file.upgrade().map(|file| (file, jobs));
    while let Some((file, jobs)) = next {
        // A writer to a file that was deleted has written nothing.
        if file.look().is_err() || !file.is_current(opened) {
            return Some((file, jobs));
        }
        let (statements, version, watch) = kept.take()?;
        let deadline = &*deadline;
        let mut connected = Connected {
            file,
            progress: &thread.progress,
            checkpointer: &thread.checkpointer,
            connection: opened,
            syncing: &syncing,
            deadline,
            statements,
            version,
            watch,
        };
        let usable = match jobs.is_empty() {
            true => {
                batch::look(&mut connected);
                true
            }
            false => {
                // One that wants its transaction for itself takes no others, and those that need no sync
                // would get one with others that do.
                let shares = jobs.iter().any(|job| job.item.commit == CommitClass::Group);
                batch::run(&mut connected, opened, jobs, &mut || match shares {
                    true => source.arrived(),
                    false => Jobs::new(),
                })
            }
        };
        // Not kept while the thread waits: the database must be able to end.
        let Connected { statements, version, file, watch, .. } = connected;
        drop(file);
        kept = Some((statements, version, watch));
        next = take(thread, source);
        if !usable {
            return next;
        }
    }
    None
}
