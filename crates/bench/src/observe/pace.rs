//! The observer's clock, and the seconds that it has recorded.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::table::{Figures, Table};

/// The longest wait for the readings at the end of a second.
const PATIENCE: Duration = Duration::from_millis(250);

/// The shortest final part of a second that counts: shorter ones give noisy rates.
pub(super) const LEAST: Duration = Duration::from_millis(200);

/// Ticks at every multiple of an interval from the run's start, until it is stopped.
pub(super) struct Pace {
    origin: Instant,
    step: Duration,
    stop: watch::Receiver<bool>,
    next: u64,
}

impl Pace {
    pub(super) fn new(origin: Instant, step: Duration, stop: watch::Receiver<bool>) -> Self {
        Self { origin, step, stop, next: 0 }
    }

    /// The number of the current tick; missed ticks are skipped. `None` once it was stopped.
    pub(super) async fn next(&mut self) -> Option<u64> {
        let passed = Instant::now().saturating_duration_since(self.origin);
        let passed = u64::try_from(passed.as_nanos() / self.step.as_nanos()).unwrap_or(u64::MAX);
        let step = self.next.max(passed);
        self.next = step + 1;
        let moment = self.origin + Duration::from_nanos(step.saturating_mul(nanos(self.step)));
        // Waiting fails if the owner is gone.
        tokio::select! {
            () = tokio::time::sleep_until(moment.into()) => Some(step),
            _ = self.stop.wait_for(|stop| *stop) => None,
        }
    }
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// The sources that fill seconds.
#[derive(Clone, Copy, Debug)]
pub(super) enum FigureSource {
    Machine = 0,
    Database = 1,
}

/// The seconds of a run, filled by several sources while others read them.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    seen: Mutex<TimelineState>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct TimelineState {
    seconds: Table,
    /// The first incomplete second, by source; `u64::MAX` for a source that has ended.
    until: [u64; 2],
}

impl Timeline {
    fn seen(&self) -> MutexGuard<'_, TimelineState> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds figures to the seconds of a range.
    pub(super) fn put(&self, source: FigureSource, from: u64, to: u64, figures: &Figures) {
        let mut seen = self.seen();
        for second in from..to {
            seen.seconds.put(second, figures);
        }
        seen.until[source as usize] = to;
        self.more.notify_all();
    }

    /// Marks a source as ended.
    pub(super) fn end(&self, source: FigureSource) {
        self.seen().until[source as usize] = u64::MAX;
        self.more.notify_all();
    }

    /// A second's figures. Waits briefly for the one that has just ended.
    pub(super) fn second(&self, number: u64, origin: Instant) -> Figures {
        let end = origin + Duration::from_secs(number + 1);
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let mut seen = self.seen();
        while left(end).is_zero()
            && !left(end + PATIENCE).is_zero()
            && seen.until.iter().any(|until| *until <= number)
        {
            let waited = self.more.wait_timeout(seen, left(end + PATIENCE));
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        seen.seconds.row(number)
    }

    /// All seconds.
    pub(super) fn take(&self) -> Table {
        std::mem::take(&mut self.seen().seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn steps_that_went_by_are_left_out() {
        let (stop, stopping) = watch::channel(false);
        let long_ago = Instant::now() - Duration::from_millis(1050);
        let mut pace = Pace::new(long_ago, Duration::from_millis(100), stopping);
        let first = pace.next().await.unwrap();
        assert!(first >= 10, "{first}");
        assert!(pace.next().await.unwrap() > first);
        stop.send(true).unwrap();
        assert_eq!(pace.next().await, None);
    }

    #[test]
    fn a_second_has_figures_of_all_sources() {
        let timeline = Timeline::default();
        let origin = Instant::now() - Duration::from_secs(9);
        let figures = |name: &str| Figures::from([(name.to_owned(), 0.125)]);
        timeline.put(FigureSource::Machine, 0, 2, &figures("cpu.user"));
        timeline.put(FigureSource::Database, 1, 2, &figures("db.commits"));
        timeline.end(FigureSource::Database);
        let second = timeline.second(1, origin);
        assert_eq!((second["cpu.user"], second.len()), (0.125, 2));
        // A missing source does not block.
        assert!(timeline.second(2, origin).is_empty());
        assert_eq!(timeline.take().row(0).len(), 1);
    }
}
