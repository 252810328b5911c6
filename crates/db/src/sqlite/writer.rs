//! The one thread that writes, and the queue before it.
//!
//! SQLite lets one connection write at a time. So all writes queue here, none of them ever meets
//! another's lock, and whoever waits when the thread is free shares one transaction, which costs
//! one sync of the disk; see [`batch`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::{Deadline, Request};
use duet_model::{Error, Result};
use tokio::sync::oneshot;

use crate::sqlite::batch::{self, Fate};
use crate::sqlite::database::{Database, Opened};
use crate::sqlite::failure::error_of;
use crate::sqlite::run::Statements;
use crate::sqlite::session::{Connected, Stopwatch, Writing};
use crate::sqlite::slice::STEPS_PER_CHECK;
use crate::sqlite::ticket::{Ticket, Waiting, locked, overloaded, write_held};
use crate::sqlite::version::Version;
use crate::store::Limits;
use crate::write::{Ending, Write};

/// How long a write whose transaction was undone by a neighbour may wait for another one.
const SECOND_TRY: Duration = Duration::from_secs(1);

/// A write in the queue, whatever it does.
pub(crate) trait Job: Send {
    /// Whether anybody still waits for it.
    fn is_wanted(&self) -> bool;

    /// Until when it may wait for its transaction.
    fn deadline(&self) -> Deadline;

    /// Its transaction has begun; false where nobody waits any more. From here on it is finished,
    /// and its caller waits for that.
    fn begin(&mut self) -> bool;

    /// Does the work and keeps its answer, whose fate is told.
    fn run(&mut self, session: &mut Writing<'_, '_>) -> Result<Fate>;

    /// Answers: what the work gave, or an error.
    fn answer(self: Box<Self>, end: Result<()>);
}

pub(crate) type Jobs = Vec<Box<dyn Job>>;

/// A write and who waits for it.
struct Queued<W: Write> {
    work: Arc<W>,
    ticket: Arc<Ticket>,
    reply: oneshot::Sender<Result<W::Output>>,
    output: Option<W::Output>,
    deadline: Deadline,
    /// Whether a transaction has begun with it: where that came to nothing, it may run again.
    begun: bool,
}

impl<W: Write> Job for Queued<W> {
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
        let ended = ended.map_err(|_| Error::internal("a write has panicked"))??;
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
        // Whoever has gone meanwhile needs no answer.
        drop(self.reply.send(end.and(output)));
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

/// The queue; the thread is started when first needed.
pub(crate) struct Writer {
    phase: AtomicU8,
    queue_timeout: Duration,
    sender: SyncSender<Box<dyn Job>>,
    receiver: Arc<Mutex<Receiver<Box<dyn Job>>>>,
    started: Mutex<bool>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    pub(crate) fn new(limits: &Limits) -> Self {
        let (sender, receiver) = sync_channel(limits.queue_length.max(1));
        Self {
            phase: AtomicU8::new(Phase::Work as u8),
            queue_timeout: limits.queue_timeout,
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            started: Mutex::new(false),
        }
    }

    /// Says what the thread is at.
    pub(crate) fn is_in(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Why a write has waited in vain.
    pub(crate) fn in_vain(&self) -> Error {
        match self.phase.load(Ordering::Relaxed) {
            phase if phase == Phase::Turn as u8 => write_held(),
            phase if phase == Phase::Lock as u8 => locked(),
            _ => overloaded(),
        }
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
        let waiting = Waiting(Arc::clone(&ticket));
        let deadline = request.deadline.within(self.queue_timeout);
        let job = Box::new(Queued { work, ticket, reply, output: None, deadline, begun: false });
        self.sender.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => overloaded(),
            TrySendError::Disconnected(_) => Error::internal("the writing thread has stopped"),
        })?;
        let answer = match tokio::time::timeout_at(deadline.end().into(), &mut answer).await {
            Ok(answer) => answer,
            Err(_) if waiting.0.leave_queue(Ticket::GIVEN_UP) => return Err(self.in_vain()),
            Err(_) => answer.await,
        };
        answer.map_err(|_| Error::internal("the writing thread has panicked"))?
    }

    fn start(&self, database: &Arc<Database>) -> Result<()> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if *started {
            return Ok(());
        }
        // The thread ends with the database, whose queue it reads.
        let (database, receiver) = (Arc::downgrade(database), Arc::clone(&self.receiver));
        thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                // A bug ends the batch that has met it, and its callers are told; not the thread.
                while catch_unwind(AssertUnwindSafe(|| serve(&database, &receiver))).is_err() {}
            })
            .map_err(Error::internal)?;
        *started = true;
        Ok(())
    }
}

/// The thread's life: a connection after the other, as the file at the path changes.
fn serve(database: &Weak<Database>, receiver: &Receiver<Box<dyn Job>>) {
    if let Some(database) = database.upgrade() {
        database.writer().is_in(Phase::Work);
    }
    let mut next = take(database, receiver);
    while let Some((shared, jobs)) = next {
        next = match shared.connect_to_write() {
            Ok(opened) => {
                // Only the thread's callers keep the database: it must be able to end.
                drop(shared);
                serve_from(database, receiver, opened, jobs)
            }
            Err(error) => {
                drop(shared);
                answer_all(jobs, &error);
                take(database, receiver)
            }
        };
    }
}

pub(crate) fn answer_all(jobs: Jobs, error: &Error) {
    jobs.into_iter().for_each(|job| job.answer(Err(error.clone())));
}

/// Waits for writes and takes all that are there, without those whose callers have gone; `None` at
/// the end of the database.
fn take(
    database: &Weak<Database>,
    receiver: &Receiver<Box<dyn Job>>,
) -> Option<(Arc<Database>, Jobs)> {
    loop {
        let first = receiver.recv().ok()?;
        let database = database.upgrade()?;
        let more = database.limits().batch.max(1) - 1;
        let jobs = std::iter::once(first).chain(receiver.try_iter().take(more));
        let jobs: Jobs = jobs.filter(|job| job.is_wanted()).collect();
        if !jobs.is_empty() {
            return Some((database, jobs));
        }
    }
}

/// Writes to one file, until another is in its place; gives what is to be written there.
fn serve_from(
    weak: &Weak<Database>,
    receiver: &Receiver<Box<dyn Job>>,
    mut opened: Opened,
    jobs: Jobs,
) -> Option<(Arc<Database>, Jobs)> {
    let deadline = Stopwatch::new();
    let watched = Arc::clone(&deadline);
    let over = move || watched.is_over();
    if let Err(error) = opened.progress_handler(STEPS_PER_CHECK, Some(over)) {
        answer_all(jobs, &error_of(&error));
        return take(weak, receiver);
    }
    let opened = &opened;
    let mut kept = Some((Statements::default(), Version::default()));
    let mut next = weak.upgrade().map(|database| (database, jobs));
    while let Some((database, jobs)) = next {
        // Who writes to a file that nobody finds any more has written nothing.
        if database.look().is_err() || !database.is_current(opened) {
            return Some((database, jobs));
        }
        let (statements, version) = kept.take().unwrap_or_default();
        let mut connected =
            Connected { database, connection: opened, deadline: &deadline, statements, version };
        let usable = batch::run(&mut connected, opened, jobs);
        let Connected { statements, version, .. } = connected;
        kept = Some((statements, version));
        next = take(weak, receiver);
        if !usable {
            return next;
        }
    }
    None
}
