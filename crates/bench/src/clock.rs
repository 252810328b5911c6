//! The machine's monotonic clock, which all its processes share.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Now, since the clock's own beginning.
pub(crate) fn monotonic_now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// A moment that is not over, in nanoseconds.
pub(crate) fn on_monotonic_clock(moment: Instant) -> u64 {
    let at = monotonic_now() + moment.saturating_duration_since(Instant::now());
    u64::try_from(at.as_nanos()).unwrap_or(u64::MAX)
}
