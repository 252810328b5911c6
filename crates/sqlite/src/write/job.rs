//! A write in the queue of the writing thread, and its caller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use duet_admission::{Deadline, Job, Refusal, Work};
use duet_model::commit_class::CommitClass;
use duet_model::{Error, Result};
use duet_store::write::write_times::Mark;
use duet_store::write::{AnyWrite, Ending};
use tokio::sync::oneshot;

use crate::connection::ticket::Ticket;
use crate::write::progress::Progress;
use crate::write::session::Writing;

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

/// A write in the queue, and who waits for it.
pub(crate) struct WriteJob {
    pub(crate) work: Arc<AnyWrite>,
    pub(crate) commit: CommitClass,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) reply: oneshot::Sender<Result<()>>,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Arc<Progress>,
    /// Whether a transaction has begun with it: where that came to nothing, it may run again.
    pub(crate) begun: bool,
}

impl Work for Box<WriteJob> {
    fn is_abandoned(&self) -> bool {
        !self.begun && self.ticket.is_given_up()
    }

    fn refuse(self, _: Refusal) {
        let error = self.progress.in_vain();
        self.answer(Err(error));
    }
}

/// Writes that have left the queue, counted as running until they are dropped.
pub(crate) type Jobs = Vec<Job<Box<WriteJob>>>;

impl WriteJob {
    /// Until when it may wait for its transaction.
    pub(crate) fn deadline(&self) -> Deadline {
        // A neighbour has undone its transaction: it gets time for another one.
        let again = Deadline::after(Instant::now(), SECOND_TRY);
        if self.begun && again.end() > self.deadline.end() { again } else { self.deadline }
    }

    /// Its transaction has begun; false where no caller waits any more. From here on it is finished,
    /// and its caller waits for that.
    pub(crate) fn begin(&mut self) -> bool {
        self.begun = self.begun || self.ticket.leave_queue(Ticket::RUNNING);
        self.begun
    }

    /// Notes a moment, if its times are reported.
    pub(crate) fn mark(&self, mark: Mark) {
        if let Some(times) = self.work.times() {
            times.mark(mark);
        }
    }

    /// Does the work, which keeps its answer.
    pub(crate) fn run(&self, session: &mut Writing<'_, '_>) -> Result<Fate> {
        // A bug in one write must not end the thread that all writes need.
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::from_waker(Waker::noop());
            match self.work.run(session).as_mut().poll(&mut context) {
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
        Ok(match ended {
            Ending::Commit(()) => Fate::Keep,
            Ending::Rollback(()) => Fate::Undo,
            Ending::DryRun(()) => session.check_references().map(|()| Fate::Undo)?,
        })
    }

    /// Answers with the result of the work, or an error.
    pub(crate) fn answer(self, end: Result<()>) {
        // A disconnected caller needs no response.
        drop(self.reply.send(end));
    }
}

/// Gives all of them the same error.
pub(crate) fn answer_all(jobs: Jobs, error: &Error) {
    jobs.into_iter().for_each(|job| job.item.answer(Err(error.clone())));
}
