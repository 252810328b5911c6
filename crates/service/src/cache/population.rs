//! How far the items of a resource have been brought into memory, and what its rowstore is doing.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a rowstore is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowstoreState {
    /// Nothing is kept.
    Off,
    /// Items are being brought into memory.
    Populating,
    /// Items are answered from memory while they are unchanged.
    Ready,
    /// Items are answered from memory, but not as they should be; why.
    Degraded(String),
}

impl RowstoreState {
    /// Its name.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Populating => "populating",
            Self::Ready => "ready",
            Self::Degraded(_) => "degraded",
        }
    }
}

/// Where a task that brings items into memory is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There was none.
    #[default]
    Never,
    /// It waits for others to end.
    Waiting,
    /// It reads items.
    Running,
    /// It has read all items.
    Done,
    /// It has stopped, because there was no room for more.
    Full,
    /// It was ended by a change of the room or of the application.
    Cancelled,
    /// It has failed.
    Failed,
}

impl Phase {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Full => "full",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Whether it has not ended.
    pub fn is_under_way(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

/// How far the last task is, and what all have done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PopulationProgress {
    /// Where it is.
    pub phase: Phase,
    /// Items that it has read.
    pub rows: u64,
    /// Items that there are, as far as that is known.
    pub total: Option<u64>,
    /// Why it has failed.
    pub failure: Option<String>,
    /// Items that all tasks have read.
    pub populated: u64,
    /// Tasks that were accepted.
    pub accepted: u64,
    /// Tasks that were rejected.
    pub rejected: u64,
}

/// The tasks of one resource: one at a time.
#[derive(Debug, Default)]
pub(crate) struct Population(Mutex<(PopulationProgress, u64)>);

/// A task that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

impl Population {
    fn lock(&self) -> MutexGuard<'_, (PopulationProgress, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> PopulationProgress {
        self.lock().0.clone()
    }

    /// Accepts a task; `None` where one is under way, or nothing is kept.
    pub(crate) fn accept(&self, is_on: bool) -> Option<Ticket> {
        let (progress, number) = &mut *self.lock();
        if !is_on || progress.phase.is_under_way() {
            progress.rejected += 1;
            return None;
        }
        *number += 1;
        let PopulationProgress { populated, accepted, rejected, .. } = *progress;
        let phase = Phase::Waiting;
        *progress = PopulationProgress {
            phase,
            populated,
            rejected,
            accepted: accepted + 1,
            ..PopulationProgress::default()
        };
        Some(Ticket(*number))
    }

    /// Ends the task under way, if there is one.
    pub(crate) fn cancel(&self) {
        let (progress, number) = &mut *self.lock();
        if progress.phase.is_under_way() {
            progress.phase = Phase::Cancelled;
            *number += 1;
        }
    }

    /// Changes the progress of a task; false where it is no longer under way.
    pub(crate) fn note(
        &self,
        ticket: Ticket,
        change: impl FnOnce(&mut PopulationProgress),
    ) -> bool {
        let (progress, number) = &mut *self.lock();
        let is_own = *number == ticket.0 && progress.phase.is_under_way();
        if is_own {
            change(progress);
        }
        is_own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_at_a_time() {
        let population = Population::default();
        assert_eq!(population.accept(false), None);
        let first = population.accept(true).unwrap();
        assert_eq!(population.accept(true), None);
        assert!(population.note(first, |progress| progress.phase = Phase::Running));
        assert!(population.note(first, |progress| progress.rows = 7));
        population.cancel();
        assert!(!population.note(first, |progress| progress.rows = 8));
        let second = population.accept(true).unwrap();
        assert!(!population.note(first, |progress| progress.rows = 9));
        assert!(population.note(second, |progress| progress.phase = Phase::Done));
        assert!(!population.note(second, |progress| progress.rows = 9), "it has ended");
        population.cancel();
        let progress = population.progress();
        assert_eq!((progress.phase, progress.rows), (Phase::Done, 0));
        assert_eq!((progress.accepted, progress.rejected), (2, 2));
    }
}
