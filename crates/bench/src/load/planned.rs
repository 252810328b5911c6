//! Counts the arrivals that a plan places in a window, independently of how they ended.

use std::time::Duration;

use super::Arrivals;

/// Counts a plan's arrivals incrementally, so that the end of a long run has little left to count.
#[derive(Clone, Debug)]
pub struct Planned {
    arrivals: Arrivals,
    from: Duration,
    count: u64,
}

impl Planned {
    /// Counts these arrivals; none of them may have been taken yet.
    pub fn new(arrivals: Arrivals, from: Duration) -> Self {
        Self { arrivals, from, count: 0 }
    }

    /// Counts the arrivals before a moment. Moments must not decrease from call to call.
    pub fn until(&mut self, to: Duration) -> u64 {
        while let Some(moment) = self.arrivals.peek().filter(|moment| *moment < to) {
            self.count += u64::from(moment >= self.from);
            self.arrivals.next_moment();
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::super::LoadProfile;
    use super::*;

    #[test]
    fn a_window_has_the_arrivals_of_its_plan() {
        let arrivals = Arrivals::new(LoadProfile::constant(10.0), 0, 1, None);
        let mut planned = Planned::new(arrivals.clone(), Duration::from_secs(1));
        let until =
            [500, 1000, 1001, 2000, 2000].map(|ms| planned.until(Duration::from_millis(ms)));
        assert_eq!(until, [0, 0, 1, 10, 10]);
        let mut at_once = Planned::new(arrivals, Duration::from_secs(1));
        assert_eq!(at_once.until(Duration::from_secs(2)), 10);
        let none = Arrivals::new(LoadProfile::constant(0.0), 0, 1, None);
        assert_eq!(Planned::new(none, Duration::ZERO).until(Duration::MAX), 0);
    }
}
