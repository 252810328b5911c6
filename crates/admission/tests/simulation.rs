//! Simulations from a seed, in virtual time: random schedules with slow, stuck, panicking and
//! cancelled work of several clients. Asserted is what the core promises: a request that touches
//! other rows waits at most its own work and one batch, or is refused within its deadline; no
//! client starves; every count returns to zero.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod simulation {
    pub(crate) mod batches;
    pub(crate) mod clock;
    pub(crate) mod writes;
}

/// How many schedules each simulation runs.
const SCHEDULES: u64 = 1_000;

#[test]
fn batches_keep_their_promise() {
    (0..SCHEDULES).for_each(simulation::batches::run);
}

#[test]
fn writes_keep_their_promise() {
    (0..SCHEDULES).for_each(simulation::writes::run);
}
