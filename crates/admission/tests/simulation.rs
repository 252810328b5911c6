//! Seeded simulations in virtual time: random schedules with slow, blocked, panicking and cancelled
//! work of several clients. They assert the guarantees: a request for other rows waits at most for its
//! own work and one batch, or is refused by its deadline; no client starves; all counts return to 0.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod simulation {
    pub(crate) mod batches;
    pub(crate) mod clock;
    pub(crate) mod deaf;
    pub(crate) mod writes;
}

/// The number of schedules in each simulation.
const SCHEDULES: u64 = 1_000;

#[test]
fn batches_keep_their_guarantees() {
    (0..SCHEDULES).for_each(simulation::batches::run);
}

#[test]
fn writes_keep_their_guarantees() {
    (0..SCHEDULES).for_each(simulation::writes::run);
}

#[test]
fn work_that_ignores_cancellation_stops_nobody() {
    (0..SCHEDULES).for_each(simulation::deaf::run);
}
