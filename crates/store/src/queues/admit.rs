//! What the drivers add to the admission core: timers, errors, and a set of queues for each worker.

use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use duet_admission::{
    Client, Deadline, Metrics, QueueCounts, QueuePlace, Refusal, Request, RequestClass,
};
use duet_model::{Code, Error, Result, Value};
use foldhash::fast::FixedState;
use futures_util::FutureExt;

use crate::limits::Limits;

/// How long a batch or a write may wait for a lock before it is tried apart from the others. Longer
/// than a commit takes; it decides who waits with whom, never whether a request fails.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// The request of a caller that reaches the store now.
pub fn request(client: Client, limits: &Limits) -> Request {
    arrived(client, limits, Instant::now())
}

/// The request of a caller that reached the store at this moment.
pub fn arrived(client: Client, limits: &Limits, at: Instant) -> Request {
    let deadline = Deadline::after(at, limits.request_timeout());
    Request { client, deadline, class: RequestClass::Interactive }
}

/// Waits for a permit that is granted in order, until the deadline of the request.
///
/// # Errors
/// Where the queue is full or the deadline passes.
pub async fn granted<G>(
    place: Result<QueuePlace<G>, Refusal>,
    deadline: Deadline,
) -> Result<G, Refusal> {
    let mut place = place?;
    if let Poll::Ready(granted) = place.poll(Instant::now(), Waker::noop()) {
        return granted;
    }
    let wait = poll_fn(|context| place.poll(Instant::now(), context.waker()));
    match tokio::time::timeout_at(deadline.end().into(), wait).await {
        Ok(granted) => granted,
        Err(_) => match place.poll(Instant::now(), Waker::noop()) {
            Poll::Ready(granted) => granted,
            Poll::Pending => Err(Refusal::Expired),
        },
    }
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// As [`granted`], on a thread that may block.
///
/// # Errors
/// Where the queue is full or the deadline passes.
pub fn granted_blocking<G>(
    place: Result<QueuePlace<G>, Refusal>,
    deadline: Deadline,
) -> Result<G, Refusal> {
    let mut place = place?;
    if let Poll::Ready(granted) = place.poll(Instant::now(), Waker::noop()) {
        return granted;
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let now = Instant::now();
        match place.poll(now, &waker) {
            Poll::Ready(granted) => return granted,
            Poll::Pending => thread::park_timeout(deadline.left(now)),
        }
    }
}

/// Runs something that a bug may end with a panic, which must not reach further than its caller.
///
/// Not an `async fn`: that has room for its argument twice, as it is given and as it is awaited.
pub fn guarded<T>(
    metrics: &Metrics,
    work: impl Future<Output = Result<T>>,
) -> impl Future<Output = Result<T>> {
    let panicked = |_| {
        metrics.panicked();
        Err(Error::internal("a request has panicked"))
    };
    AssertUnwindSafe(work).catch_unwind().map(move |done| done.unwrap_or_else(panicked))
}

/// The error of a request that is not admitted.
pub fn refused(refusal: Refusal) -> Error {
    let message = match refusal {
        Refusal::Full => "Too many requests wait for the database. Try again in a moment.",
        Refusal::Expired => "All connections to the database are busy. Try again in a moment.",
    };
    Error::new(Code::Overloaded, message).retry_after(1)
}

/// A hash of values, for what requests touch.
pub fn hash_values<'v>(of: u64, values: impl IntoIterator<Item = &'v Value>) -> u64 {
    let mut hasher = FixedState::with_seed(of).build_hasher();
    for value in values {
        match value {
            Value::Null => hasher.write_u8(0),
            Value::Bool(value) => hasher.write_u8(1 + u8::from(*value)),
            Value::Int(value) => hasher.write_i64(*value),
            Value::Float(value) => hasher.write_u64(value.to_bits()),
            Value::Text(text) => {
                hasher.write(text.as_bytes());
                hasher.write_u8(3);
            }
            Value::RawText(text) => {
                hasher.write(text);
                hasher.write_u8(3);
            }
            Value::Bytes(bytes) => {
                hasher.write(bytes);
                hasher.write_u8(4);
            }
        }
    }
    hasher.finish()
}

/// The key of a document, by its root's table and key: its writes run one at a time; see
/// [`Write::touches`](crate::Write::touches).
pub fn document_key(schema: &str, table: &str, key: &[Value]) -> u64 {
    hash_values(FixedState::default().hash_one((schema, table)), key)
}

/// The names of the queues, in the order of [`Queues::all`].
pub const QUEUES: [&str; 10] =
    ["interactive", "batch", "read", "page", "write", "row", "insert", "stream", "load", "file"];

/// The counters of one worker's queues.
#[derive(Debug, Default)]
pub struct Queues {
    /// Interactive requests at the database, waiting in other queues or running.
    pub interactive: Arc<Metrics>,
    /// Batch requests, which wait in front of all other queues.
    pub batch: Arc<Metrics>,
    /// Batches of reads by key.
    pub read: Arc<Metrics>,
    /// Connections, or threads, for pages and for reads outside of batches.
    pub page: Arc<Metrics>,
    /// Connections for writes, or the one thread that writes.
    pub write: Arc<Metrics>,
    /// Turns of writes to the same document.
    pub row: Arc<Metrics>,
    /// Batches of inserts.
    pub insert: Arc<Metrics>,
    /// Connections, or threads, for streams.
    pub stream: Arc<Metrics>,
    /// Bulk loads.
    pub load: Arc<Metrics>,
    /// Turns of those that write to a SQLite file: the one thread for requests, loads, checkpoints.
    pub file: Arc<Metrics>,
}

impl Queues {
    fn all(&self) -> [&Arc<Metrics>; QUEUES.len()] {
        [
            &self.interactive,
            &self.batch,
            &self.read,
            &self.page,
            &self.write,
            &self.row,
            &self.insert,
            &self.stream,
            &self.load,
            &self.file,
        ]
    }
}

/// The queues of all workers of a database.
#[derive(Debug, Default)]
pub struct Registry(Mutex<Vec<Arc<Queues>>>);

impl Registry {
    /// The queues of one more worker.
    pub fn worker(&self) -> Arc<Queues> {
        let queues = Arc::new(Queues::default());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&queues));
        queues
    }

    /// The counters of the queues with these names, all workers together.
    pub fn counted(&self, names: &[&str]) -> Vec<(&'static str, QueueCounts)> {
        let workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = QUEUES.map(|name| (name, QueueCounts::default()));
        for worker in &*workers {
            for ((_, sum), metrics) in counted.iter_mut().zip(worker.all()) {
                sum.add(&metrics.counted());
            }
        }
        counted.into_iter().filter(|(name, _)| names.contains(name)).collect()
    }
}
