//! What a store may use, and how long things may take.

use std::time::Duration;

use duet_model::memory::Budget;

use crate::memory::row_limit::RowLimit;

/// What a store may use and how long things may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections to the database, all workers together.
    pub connections: usize,
    /// Connections that other applications of this process may open to the same server.
    pub others: usize,
    /// How many workers share them.
    pub workers: usize,
    /// How long a statement may run.
    pub statement_timeout: Duration,
    /// How long it may take to read the schema.
    pub schema_timeout: Duration,
    /// How long a write may wait for a lock of another one, or of another program.
    pub lock_timeout: Duration,
    /// How long a request may wait for a connection.
    pub queue_timeout: Duration,
    /// How many requests may wait for the database, per worker.
    pub queue_length: usize,
    /// How many interactive requests may be at the database, waiting or running.
    pub interactive_requests: usize,
    /// How many batch requests run at the same time.
    pub batch_requests: usize,
    /// How many batch requests may wait.
    pub batch_queue: usize,
    /// How many documents one statement may read by key.
    pub batch: usize,
    /// How many bytes of rows one answer may hold.
    pub answer_bytes: usize,
    /// The memory that all requests share; rows are counted in it while they are fetched.
    pub memory: Budget,
    /// Concurrent streams, all workers together; each has a connection of its own.
    pub streams: usize,
    /// How long a stream may take, the time that its client takes included.
    pub stream_timeout: Duration,
    /// Concurrent bulk loads, all workers together; on PostgreSQL each has a connection of its own.
    pub loads: usize,
    /// How commits of others are captured on PostgreSQL.
    pub capture: Capture,
    /// Connections that ask a server for its position in the log, where standbys answer reads.
    pub beats: usize,
}

/// How commits of others are captured on PostgreSQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Capture {
    /// By the first means that the database is prepared for.
    #[default]
    Auto,
    /// By logical decoding.
    Stream,
    /// By a table that triggers fill.
    Table,
    /// Not at all.
    Off,
}

impl Limits {
    /// How long a request may wait for the store, and for the answer of one statement.
    pub fn request_timeout(&self) -> Duration {
        self.queue_timeout.saturating_add(self.statement_timeout)
    }

    /// What the rows of one answer may take.
    pub fn rows(&self) -> RowLimit {
        RowLimit::new(self.answer_bytes, &self.memory)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 20,
            others: 0,
            workers: 1,
            statement_timeout: Duration::from_secs(30),
            schema_timeout: Duration::from_secs(120),
            lock_timeout: Duration::from_secs(5),
            queue_timeout: Duration::from_secs(5),
            queue_length: 20_000,
            interactive_requests: 20_000,
            batch_requests: 4,
            batch_queue: 1_000,
            batch: 256,
            answer_bytes: 64 << 20,
            memory: Budget::unlimited(),
            streams: 4,
            stream_timeout: Duration::from_secs(3600),
            loads: 3,
            capture: Capture::default(),
            beats: 0,
        }
    }
}
