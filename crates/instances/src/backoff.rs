//! How long to wait before an instance is started again.

use std::time::Duration;

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(50);
/// An instance that has run so long was healthy: the waits begin anew.
const HEALTHY: Duration = Duration::from_secs(60);

/// The waits of one seat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The wait after an instance has ended that had been ready for `ran`; zero where it never was.
    pub(crate) fn after(&mut self, ran: Duration) -> Duration {
        if ran >= HEALTHY {
            self.failures = 0;
        }
        let wait = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew() {
        let mut backoff = Backoff::default();
        let mut waits = |ran: u64| backoff.after(Duration::from_secs(ran)).as_secs();
        let failing: Vec<u64> = (0..8).map(|_| waits(0)).collect();
        assert_eq!(failing, [1, 2, 4, 8, 16, 32, 50, 50]);
        assert_eq!((waits(59), waits(60), waits(3)), (50, 1, 2));
    }

    #[test]
    fn any_number_of_failures() {
        let mut backoff = Backoff { failures: u32::MAX };
        assert_eq!(backoff.after(Duration::ZERO), LONGEST);
    }
}
