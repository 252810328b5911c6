//! New rows in batches, acknowledged from the journal of a Duet server, beside the same rows written straight into the
//! database: by COPY on PostgreSQL, by one prepared insert in a transaction on SQLite.
//!
//! [`Ingest`] is the workload; its table is that of [`txn`](crate::txn). [`Drain`] watches how the server writes the
//! rows to the database, and compares the database with what was acknowledged.

mod conclude;
mod drain;
mod entry;
mod facts;
mod prepare;
mod rows;
mod session;
mod workload;

pub use conclude::{ACKNOWLEDGED, BESIDE, BY_SQL};
pub use drain::{APPLIED, Drain, EACH_ONCE, LAG, NONE_REFUSED};
pub use entry::Entry;
pub use facts::{Facts, KINDS, PRESETS};
pub use prepare::INGEST_ROWS;
pub use workload::Ingest;
