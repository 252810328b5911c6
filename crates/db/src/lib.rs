//! The drivers: introspection, connections, batching, transactions.
//!
//! The only crate that names tokio-postgres, after `pgconnect`, and rusqlite. A [`Store`] is one database, shared by
//! all workers; each worker attaches to it and gets a [`Handle`] that stays on its thread.

mod acting;
mod admit;
pub mod bulk;
pub mod heap;
mod insert;
pub mod introspect;
mod limits;
pub mod load;
pub mod postgres;
pub mod raw;
mod read;
mod refusal;
mod row_limit;
mod slowest;
pub mod sqlite;
pub mod state;
pub mod statistics;
mod store;
mod stream;
mod wire;
mod write;

pub use acting::Acting;
pub use admit::{QUEUES, document_key};
pub use duet_admission::{Client, Counted as QueueCounted, WAIT_BOUNDS};
pub use insert::InsertBatch;
pub use limits::Limits;
pub use read::{Answer, KeyedRead, PageRead};
pub use slowest::SlowestStatement;
pub use store::{Handle, Store};
pub use stream::Stream;
pub use write::{Call, Done, Ending, LockedRead, RowsUpdate, Session, Updated, Write};
