//! Turns of a worker's event loop: how long its other requests waited for one of them.
//!
//! A turn is what a worker does between two looks at its sockets. Everything of a worker runs in turns, so no request of
//! it is answered sooner than the turn that it meets ends.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long the longest turn is remembered, at least; twice as long at most.
const PERIOD: Duration = Duration::from_secs(60);

/// The turns of one worker. The worker alone writes.
#[derive(Debug, Default)]
pub(crate) struct TurnMetrics {
    /// Turns longer than the bound.
    long: AtomicU64,
    /// The number of the present period, and the longest turns of it and of the one before, in nanoseconds.
    period: AtomicU64,
    longest: AtomicU64,
    longest_before: AtomicU64,
}

impl TurnMetrics {
    /// Counts a turn that began and ended so long after the process began to serve.
    fn took(&self, began: Duration, ended: Duration, bound: Duration) {
        let took = ended.saturating_sub(began);
        if took > bound {
            self.long.store(self.long() + 1, Ordering::Relaxed);
        }
        let period = ended.as_secs() / PERIOD.as_secs();
        let known = self.period.load(Ordering::Relaxed);
        if period != known {
            let last = if period == known + 1 { self.longest.load(Ordering::Relaxed) } else { 0 };
            self.longest_before.store(last, Ordering::Relaxed);
            self.longest.store(0, Ordering::Relaxed);
            self.period.store(period, Ordering::Relaxed);
        }
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        if nanos > self.longest.load(Ordering::Relaxed) {
            self.longest.store(nanos, Ordering::Relaxed);
        }
    }

    /// Turns longer than the bound.
    pub(crate) fn long(&self) -> u64 {
        self.long.load(Ordering::Relaxed)
    }

    /// The longest turn of the last minute or two.
    pub(crate) fn longest(&self) -> Duration {
        let longest = self.longest.load(Ordering::Relaxed);
        Duration::from_nanos(longest.max(self.longest_before.load(Ordering::Relaxed)))
    }
}

/// Counts the turns of the future that does all of a worker's work.
pub(crate) async fn counted<T>(
    turns: &TurnMetrics,
    started: Instant,
    bound: Duration,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    poll_fn(|context| {
        let began = started.elapsed();
        let polled = work.as_mut().poll(context);
        turns.took(began, started.elapsed(), bound);
        polled
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_turn_is_forgotten_after_a_while() {
        let turns = TurnMetrics::default();
        let millis = Duration::from_millis;
        let took = |second: u64, took: u64| {
            let began = Duration::from_secs(second);
            turns.took(began, began + millis(took), millis(50));
        };
        took(10, 3);
        took(20, 80);
        took(59, 2);
        assert_eq!((turns.longest(), turns.long()), (millis(80), 1));
        took(70, 5);
        assert_eq!(turns.longest(), millis(80));
        took(130, 4);
        assert_eq!(turns.longest(), millis(5));
        took(1_000, 1);
        assert_eq!((turns.longest(), turns.long()), (millis(1), 1));
    }

    #[test]
    fn every_poll_is_a_turn() {
        let turns = TurnMetrics::default();
        let (started, bound) = (Instant::now(), Duration::ZERO);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(counted(&turns, started, bound, async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        }));
        assert_eq!(turns.long(), 4);
    }
}
