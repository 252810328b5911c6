//! How long a statement may run, for SQLite's progress handler.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many steps of SQLite's machine pass between two looks at the clock.
pub(crate) const STEPS_PER_CHECK: i32 = 1_000;

/// A time limit on statements that mostly end long before SQLite first calls the progress handler.
/// The clock is read there only, so the limit counts from the first call.
#[derive(Debug)]
pub(crate) struct TimeSlice {
    base: Instant,
    /// Microseconds that a statement may run.
    most: AtomicU64,
    /// Microseconds from the base, 0 for not yet.
    begun: AtomicU64,
}

impl TimeSlice {
    pub(crate) fn new(most: Duration) -> Self {
        Self { base: Instant::now(), most: AtomicU64::new(micros(most)), begun: AtomicU64::new(0) }
    }

    /// A statement begins, which may run so long.
    pub(crate) fn begin(&self, most: Duration) {
        self.most.store(micros(most), Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
    }

    /// Whether the statement has run too long.
    pub(crate) fn is_over(&self) -> bool {
        let now = micros(self.base.elapsed()).max(1);
        match self.begun.load(Ordering::Relaxed) {
            0 => {
                self.begun.store(now, Ordering::Relaxed);
                false
            }
            begun => now - begun > self.most.load(Ordering::Relaxed),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_the_first_look() {
        let slice = TimeSlice::new(Duration::ZERO);
        assert!(!slice.is_over());
        std::thread::sleep(Duration::from_millis(1));
        assert!(slice.is_over());
        slice.begin(Duration::ZERO);
        assert!(!slice.is_over());
        let long = TimeSlice::new(Duration::from_secs(600));
        assert!(!long.is_over() && !long.is_over());
    }
}
