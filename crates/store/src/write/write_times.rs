//! When the steps of a write ended, for requests that report where their time went.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The moments between the steps of a write, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The body has been read and checked.
    Planned,
    /// The write has entered the queue of its store.
    Queued,
    /// Its transaction begins: it has passed the queue, and has a connection.
    Begun,
    /// Its statements have been executed, and those of writes in the same transaction.
    Executed,
    /// The commit has ended.
    Committed,
    /// The document of the response has been written.
    Answered,
}

/// The number of [`Mark`]s.
const MARKS: usize = 6;

/// When a write passed each [`Mark`]. A write that runs again passes them again: the last time counts.
#[derive(Debug)]
pub struct WriteTimes {
    base: Instant,
    /// Nanoseconds after the base, plus one; 0 for a mark that was not passed.
    marks: [AtomicU64; MARKS],
}

/// How long the steps of a write took; together they are the time from [`Mark::Planned`] to
/// [`Mark::Answered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSteps {
    /// The body becomes a row and its statement.
    pub row: Duration,
    /// The wait in the queue and for a connection.
    pub queue: Duration,
    /// The statements of the transaction.
    pub statement: Duration,
    /// The commit.
    pub commit: Duration,
    /// The stored row becomes the document of the response.
    pub document: Duration,
}

impl WriteTimes {
    /// No mark is passed; none lies before `base`.
    pub fn new(base: Instant) -> Self {
        Self { base, marks: Default::default() }
    }

    /// The mark is passed now.
    pub fn mark(&self, mark: Mark) {
        self.mark_at(mark, Instant::now());
    }

    /// The mark was passed at a moment.
    pub fn mark_at(&self, mark: Mark, at: Instant) {
        let nanos = at.saturating_duration_since(self.base).as_nanos();
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX - 1);
        self.marks[mark as usize].store(nanos + 1, Ordering::Relaxed);
    }

    /// The steps; `None` unless all marks were passed in their order.
    pub fn steps(&self) -> Option<WriteSteps> {
        let at: [u64; MARKS] = std::array::from_fn(|mark| self.marks[mark].load(Ordering::Relaxed));
        let is_whole = at[0] > 0 && at.is_sorted();
        let step = |from: Mark, to: Mark| Duration::from_nanos(at[to as usize] - at[from as usize]);
        is_whole.then(|| WriteSteps {
            row: step(Mark::Planned, Mark::Queued),
            queue: step(Mark::Queued, Mark::Begun),
            statement: step(Mark::Begun, Mark::Executed),
            commit: step(Mark::Executed, Mark::Committed),
            document: step(Mark::Committed, Mark::Answered),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Mark; MARKS] =
        [Mark::Planned, Mark::Queued, Mark::Begun, Mark::Executed, Mark::Committed, Mark::Answered];

    #[test]
    fn steps_add_up_to_the_whole() {
        let base = Instant::now();
        let times = WriteTimes::new(base);
        for (mark, after) in ALL.into_iter().zip([5, 6, 8, 12, 20, 36]) {
            assert_eq!(times.steps(), None);
            times.mark_at(mark, base + Duration::from_micros(after));
        }
        let steps = times.steps().unwrap();
        let all = [steps.row, steps.queue, steps.statement, steps.commit, steps.document];
        assert_eq!(all.map(|step| step.as_micros()), [1, 2, 4, 8, 16]);
        assert_eq!(all.iter().sum::<Duration>(), Duration::from_micros(31));
    }

    #[test]
    fn the_last_run_of_a_write_counts() {
        let base = Instant::now();
        let times = WriteTimes::new(base);
        for (mark, after) in ALL.into_iter().zip([0, 1, 2, 3, 4, 5]) {
            times.mark_at(mark, base + Duration::from_micros(after));
        }
        times.mark_at(Mark::Begun, base + Duration::from_micros(9));
        assert_eq!(times.steps(), None, "it began again and has not ended");
    }
}
