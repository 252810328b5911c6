//! A write in the queue of the writing thread, whatever it does, and its caller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use duet_admission::{Deadline, Job, Refusal, Work};
use duet_model::commit_class::CommitClass;
use duet_model::{Error, Result};
use tokio::sync::oneshot;

use crate::sqlite::progress::Progress;
use crate::sqlite::session::Writing;
use crate::sqlite::ticket::Ticket;
use crate::write::{Ending, Write};
use crate::write_times::Mark;

/// How long a write whose transaction was undone by a neighbour may wait for another one.
const SECOND_TRY: Duration = Duration::from_secs(1);

/// The fate of a write's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is to stay.
    Keep,
    /// It was only to be tried.
    Undo,
}

/// A write in the queue, whatever it does.
pub(crate) trait WriteJob: Send {
    /// Whether anybody still waits for it.
    fn is_wanted(&self) -> bool;

    /// Its commit class.
    fn commit(&self) -> CommitClass;

    /// Until when it may wait for its transaction.
    fn deadline(&self) -> Deadline;

    /// Its transaction has begun; false where no caller waits any more. From here on it is finished,
    /// and its caller waits for that.
    fn begin(&mut self) -> bool;

    /// Notes a moment, if its times are reported.
    fn mark(&self, mark: Mark);

    /// Does the work and keeps its answer, whose outcome is known.
    fn run(&mut self, session: &mut Writing<'_, '_>) -> Result<Fate>;

    /// Answers with the result of the work, or an error.
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
pub(crate) struct Queued<W: Write> {
    pub(crate) work: Arc<W>,
    pub(crate) commit: CommitClass,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) reply: oneshot::Sender<Result<W::Output>>,
    pub(crate) output: Option<W::Output>,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Arc<Progress>,
    /// Whether a transaction has begun with it: where that came to nothing, it may run again.
    pub(crate) begun: bool,
}

impl<W: Write> WriteJob for Queued<W> {
    fn is_wanted(&self) -> bool {
        self.begun || !self.ticket.is_given_up()
    }

    fn commit(&self) -> CommitClass {
        self.commit
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

    fn mark(&self, mark: Mark) {
        if let Some(times) = self.work.times() {
            times.mark(mark);
        }
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
            self.progress.panicked();
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
        // A disconnected caller needs no response.
        drop(self.reply.send(end.and(output)));
    }

    fn in_vain(&self) -> Error {
        self.progress.in_vain()
    }
}

/// Gives all of them the same error.
pub(crate) fn answer_all(jobs: Jobs, error: &Error) {
    jobs.into_iter().for_each(|job| job.item.answer(Err(error.clone())));
}
