//! Admission: the queues between requests and a store.
//!
//! The crate decides which requests wait, run, share a batch or are refused. It does no IO, starts no
//! threads or tasks and reads no clock: the current time is an argument. Drivers run the work and
//! wait with the [`Waker`](std::task::Waker) that they pass in, from a task or a thread.
//!
//! - [`Batches`]: a bounded queue with natural batching. A batch that blocks or fails is split, and
//!   the members that cause it run alone, concurrently with other batches.
//! - [`Permits`]: connections or threads, granted round robin to waiting clients. Isolated work never
//!   holds all of them, and where they are shared no client does.
//! - [`Gates`]: requests for the same key run one at a time; other keys are independent.
//! - [`Deadline`]: covers all waits of a request. Every operation that waits takes a [`Request`], so
//!   no wait lacks a deadline.
//! - [`Metrics`]: one set of counters for all of these.
//!
//! All counts and slots are held by guards that release them on drop, also after a panic or a
//! cancellation.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::{Duration, Instant};
//! use duet_admission::{
//!     Attempt, BatchLimits, Batches, Client, Deadline, Job, Metrics, Request, RequestClass, Work,
//! };
//!
//! struct Key(u32);
//! impl Work for Key {}
//!
//! let batches = Batches::new(BatchLimits::default(), Arc::new(Metrics::default()));
//! let now = Instant::now();
//! let deadline = Deadline::after(now, Duration::from_secs(5));
//! let request = Request { client: Client::new(1), deadline, class: RequestClass::Interactive };
//! let one = batches.submit(now, Job::new(request, Key(1))).unwrap();
//! let two = batches.submit(now, Job::new(request, Key(2))).unwrap();
//!
//! // One batch takes all queued requests.
//! let mut run = batches.begin().unwrap();
//! let batch = run.take(now).unwrap();
//! assert_eq!(batch.attempt(), Attempt::Together);
//! assert_eq!(batch.jobs().len(), 2);
//!
//! // It waited too long for a lock: its members are retried separately.
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
mod share;
mod suspects;

pub use batches::{Attempt, Batch, BatchLimits, Batches, Job, Run, Ticket, Work};
pub use deadline::{Client, Deadline, Request, RequestClass};
pub use gates::{Gates, Turn};
pub use metrics::{Gauge, Metrics, QueueCounts, WAIT_BOUNDS};
pub use permits::{Class, Permit, PermitLimits, Permits};
pub use place::QueuePlace;
pub use suspects::Suspects;

/// Why a request is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The queue is full.
    Full,
    /// The deadline has passed.
    Expired,
}

/// Locks a mutex and ignores poisoning, because no code in this crate panics while it holds a lock.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
