//! The sizes of the test: the whole one, and a quick one.

use std::time::Duration;

/// The size of the test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) rate: f64,
    pub(super) users: u32,
    pub(super) before: Duration,
    pub(super) measure: Duration,
    pub(super) pause: Duration,
    /// Users and requests of the delays, and the longest delay.
    pub(super) delays: (u32, u64, Duration),
    /// The same for the edges of the window.
    pub(super) edges: Edges,
    /// Whether times have an upper bound too.
    pub(super) strict: bool,
}

pub(super) const WHOLE: Size = Size {
    rate: 1000.0,
    // Few, so that few responses share a moment when the server resumes.
    users: 48,
    before: Duration::from_secs(2),
    measure: Duration::from_secs(11),
    pause: Duration::from_millis(1500),
    delays: (1000, 50_000, Duration::from_secs(1)),
    edges: Edges {
        rate: 100.0,
        before: Duration::from_secs(2),
        measure: Duration::from_secs(6),
        pause: Duration::from_millis(1500),
    },
    strict: true,
};

pub(super) const QUICK: Size = Size {
    rate: 200.0,
    users: 64,
    before: Duration::from_millis(500),
    measure: Duration::from_millis(2500),
    pause: Duration::from_millis(600),
    delays: (100, 2_000, Duration::from_millis(100)),
    edges: Edges {
        rate: 50.0,
        before: Duration::from_millis(500),
        measure: Duration::from_secs(2),
        pause: Duration::from_millis(600),
    },
    strict: false,
};

/// The size of the edge tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    pub(super) rate: f64,
    pub(super) before: Duration,
    pub(super) measure: Duration,
    pub(super) pause: Duration,
}
