//! What a store has done, counted: connections, batches, pages and writes.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one store, all workers together. They are moved once per statement, not per
/// request.
#[derive(Debug, Default)]
pub struct Statistics {
    connections: AtomicU64,
    batches: AtomicU64,
    keys: AtomicU64,
    pages: AtomicU64,
    streams: AtomicU64,
    overloads: AtomicU64,
    transactions: AtomicU64,
    writes: AtomicU64,
    rows: AtomicU64,
    retries: AtomicU64,
    schema_looks: AtomicU64,
    schema_sums: AtomicU64,
    checkpoints: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Connections opened to the database.
    pub connections: u64,
    /// Statements, or transactions on SQLite, that read documents by key; on PostgreSQL also those that read
    /// pages of several requests.
    pub batches: u64,
    /// Documents and pages requested by these; divided by `batches`, the mean size of a batch.
    pub keys: u64,
    /// Pages read.
    pub pages: u64,
    /// Streams begun.
    pub streams: u64,
    /// Requests refused because too many waited, or one waited too long.
    pub overloads: u64,
    /// Transactions committed that changed something.
    pub transactions: u64,
    /// Writes in these; divided by `transactions`, the mean size of a batch.
    pub writes: u64,
    /// Rows inserted, updated or deleted by these.
    pub rows: u64,
    /// How often a write, or a batch of them, was run again: after a deadlock, a lost connection,
    /// a change of the schema or the failure of a neighbour.
    pub retries: u64,
    /// Looks for a changed schema.
    pub schema_looks: u64,
    /// How often the system catalogs were summed up for these.
    pub schema_sums: u64,
    /// Checkpoints of SQLite's write-ahead log.
    pub checkpoints: u64,
}

impl Statistics {
    /// A connection was made.
    pub fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A batch of reads by so many keys was run.
    pub fn batch(&self, keys: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.keys.fetch_add(keys as u64, Ordering::Relaxed);
    }

    /// A page was read.
    pub fn page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    /// A stream has begun.
    pub fn stream(&self) {
        self.streams.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn overload(&self) {
        self.overloads.fetch_add(1, Ordering::Relaxed);
    }

    /// A transaction with this many writes and changed rows has been committed.
    pub fn wrote(&self, writes: usize, rows: u64) {
        if writes > 0 {
            self.transactions.fetch_add(1, Ordering::Relaxed);
            self.writes.fetch_add(writes as u64, Ordering::Relaxed);
            self.rows.fetch_add(rows, Ordering::Relaxed);
        }
    }

    /// A write is run again.
    pub fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// The version of the schema was asked for.
    pub fn looked_at_schema(&self) {
        self.schema_looks.fetch_add(1, Ordering::Relaxed);
    }

    /// The system catalogs were summed up for that.
    pub fn summed_schema(&self) {
        self.schema_sums.fetch_add(1, Ordering::Relaxed);
    }

    /// The write-ahead log was written back.
    pub fn checkpointed(&self) {
        self.checkpoints.fetch_add(1, Ordering::Relaxed);
    }

    /// The present counters.
    pub fn counted(&self) -> StoreCounts {
        StoreCounts {
            connections: self.connections.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            keys: self.keys.load(Ordering::Relaxed),
            pages: self.pages.load(Ordering::Relaxed),
            streams: self.streams.load(Ordering::Relaxed),
            overloads: self.overloads.load(Ordering::Relaxed),
            transactions: self.transactions.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            schema_looks: self.schema_looks.load(Ordering::Relaxed),
            schema_sums: self.schema_sums.load(Ordering::Relaxed),
            checkpoints: self.checkpoints.load(Ordering::Relaxed),
        }
    }
}
