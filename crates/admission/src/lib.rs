//! Admission: the queues between requests and a store.
//!
//! The crate decides who waits, who runs, with whom, and who is refused. It does no IO, starts no
//! thread or task, and reads no clock: the current time is an argument. Drivers run the work and
//! wait with the [`Waker`](std::task::Waker) that they pass in, from a task or from a thread.
//!
//! - [`Batches`]: a bounded queue with natural batching. A batch that blocks or fails is split, and
//!   the members that cause it run alone, beside the others.
//! - [`Permits`]: connections or threads, granted in turn to the clients that wait. Isolated work
//!   never holds all of them.
//! - [`Gates`]: requests for the same key take turns; requests for other keys pass.
//! - [`Deadline`]: travels with a request through every wait. Each operation that waits takes a
//!   [`Request`], so a wait without a deadline cannot be written.
//! - [`Metrics`]: one set of counters for all of these.
//!
//! Everything counted is held by a guard that is released on drop, also after a panic or where a
//! caller goes away.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::{Duration, Instant};
//! use duet_admission::{Attempt, BatchLimits, Batches, Client, Deadline, Job, Metrics, Request, Work};
//!
//! struct Key(u32);
//! impl Work for Key {}
//!
//! let batches = Batches::new(BatchLimits::default(), Arc::new(Metrics::default()));
//! let now = Instant::now();
//! let request = Request { client: Client::new(1), deadline: Deadline::after(now, Duration::from_secs(5)) };
//! let one = batches.submit(now, Job::new(request, Key(1))).unwrap();
//! let two = batches.submit(now, Job::new(request, Key(2))).unwrap();
//!
//! // One statement takes all that wait.
//! let mut run = batches.begin().unwrap();
//! let batch = run.take(now).unwrap();
//! assert_eq!(batch.attempt(), Attempt::Together);
//! assert_eq!(batch.jobs().len(), 2);
//!
//! // It waited too long for a lock: its members are tried apart from each other.
//! run.split(now, batch);
//! let part = run.take(now).unwrap();
//! assert_eq!((part.attempt(), part.jobs().len()), (Attempt::Part, 1));
//! # drop((one, two));
//! ```

mod batches;
mod deadline;
mod fair;
mod gates;
mod metrics;
mod permits;
mod place;
mod suspects;

pub use batches::{Attempt, Batch, BatchLimits, Batches, Job, Run, Ticket, Work};
pub use deadline::{Client, Deadline, Request};
pub use gates::{Gates, Turn};
pub use metrics::{Counted, Metrics, WAIT_BOUNDS};
pub use permits::{Class, Permit, PermitLimits, Permits};
pub use place::Place;

/// Why a request is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The queue is full.
    Full,
    /// The deadline has passed.
    Expired,
}

/// A lock that survives the panic of a holder: nothing in this crate panics while it holds one.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
