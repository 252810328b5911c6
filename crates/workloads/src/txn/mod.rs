//! Payment transactions: created one by one and in batches, read by id, listed a hundred at a time, through a REST
//! resource; the same rows inserted by SQL show what the service costs.
//!
//! [`data_set`] makes the table, [`Transactions`] is the workload. Any REST resource with the table's columns can be
//! measured, by its URL.

mod built_in;
mod commit;
mod conclude;
mod data;
mod entry;
mod facts;
mod layers;
mod prepare;
mod session;
mod statement;
mod workload;

pub use commit::COMMIT;
pub use conclude::ROWS_CREATED;
pub use data::{METADATA, data_set};
pub use entry::Entry;
pub use facts::{Facts, KINDS, PRESETS};
pub use layers::{BY_SQL, LAYERS, WHOLE};
pub use prepare::{BATCH_ROWS, TIMED, app_toml, resource};
pub use workload::Transactions;
