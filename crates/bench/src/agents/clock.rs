//! How the clock of another machine differs from this one's, by exchanges of which the fastest counts (Cristian,
//! Probabilistic clock synchronization, 1989).

use std::time::Duration;

/// How often the clocks are asked for.
pub(super) const EXCHANGES: usize = 15;

/// One exchange, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    /// This machine's monotonic clock when it asked.
    pub(super) asked: u64,
    /// The other machine's when it answered.
    pub(super) theirs: u64,
    /// This machine's monotonic clock when the answer was here.
    pub(super) answered: u64,
    /// The other machine's time since 1970 minus this one's at the end.
    pub(super) time_difference: i64,
}

/// How far the clock of another machine is ahead of this one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockOffset {
    /// Their monotonic clock minus ours, in nanoseconds.
    pub(super) ns: i64,
    /// The most by which that may be wrong: half of the round trip.
    pub(super) uncertainty: Duration,
    /// Their time since 1970 minus ours, in nanoseconds, within the same uncertainty.
    pub(super) time_ns: i64,
}

impl ClockOffset {
    /// The offset by the exchange with the shortest round trip; `None` without one.
    pub(super) fn of(exchanges: &[Exchange]) -> Option<Self> {
        let trip = |it: &&Exchange| it.answered.saturating_sub(it.asked);
        let best = exchanges.iter().min_by_key(trip)?;
        let half = trip(&best) / 2;
        let middle = best.asked.saturating_add(half);
        Some(Self {
            ns: signed(best.theirs).saturating_sub(signed(middle)),
            uncertainty: Duration::from_nanos(half),
            time_ns: best.time_difference.saturating_add(signed(half)),
        })
    }

    /// A moment of this machine's clock on theirs.
    pub(super) fn theirs(&self, ours: u64) -> u64 {
        ours.saturating_add_signed(self.ns)
    }

    /// By how much their clock ran faster than ours since an earlier offset; what the uncertainties explain does not
    /// count.
    pub(super) fn drift_since(&self, earlier: &Self) -> Duration {
        let moved = Duration::from_nanos(self.ns.abs_diff(earlier.ns));
        moved.saturating_sub(self.uncertainty + earlier.uncertainty)
    }
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their clock is 5 s ahead; requests take 1 ms, answers 1 to 9 ms.
    fn exchanges(ahead: u64) -> Vec<Exchange> {
        let one = |n: u64| {
            let asked = n * 1_000_000_000;
            let back = 1_000_000 * (1 + 8 * (n % 2));
            Exchange {
                asked,
                theirs: asked + 1_000_000 + ahead,
                answered: asked + 1_000_000 + back,
                time_difference: 0,
            }
        };
        (0..4).map(one).collect()
    }

    #[test]
    fn the_fastest_exchange_counts() {
        let offset = ClockOffset::of(&exchanges(5_000_000_000)).unwrap();
        assert_eq!(offset.ns, 5_000_000_000);
        assert_eq!(offset.uncertainty, Duration::from_millis(1));
        assert_eq!(offset.theirs(7), 5_000_000_007);
        assert_eq!(ClockOffset::of(&[]), None);
    }

    #[test]
    fn a_clock_behind_and_one_that_drifts() {
        let at = |ns| ClockOffset { ns, uncertainty: Duration::from_nanos(10), time_ns: 0 };
        assert_eq!(at(-5).theirs(9), 4);
        assert_eq!(at(100).drift_since(&at(85)), Duration::ZERO);
        assert_eq!(at(-100).drift_since(&at(0)), Duration::from_nanos(80));
    }
}
