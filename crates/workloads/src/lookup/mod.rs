//! Four tables of keys and values with different storage: the cost of a read by key.
//!
//! [`data_set`] creates the tables. [`Lookup`] is the workload: random keys, any number of users.
//! [`serve_cold`] is the other method, that of the published measurement: one connection in a
//! process of its own reads all keys in order, and the process reports the duration.

mod built_in;
mod checks;
mod cold_run;
mod discover;
mod endpoint;
mod entry;
mod environment;
mod measure;
mod prepare;
mod process_reader;
mod reader;
mod served;
mod tables;
mod workload;

pub use cold_run::{ColdRun, run_cold, serve_cold};
pub use discover::{Access, discover};
pub use endpoint::Endpoint;
pub use entry::Entry;
pub use environment::{Environment, environment};
pub use measure::{MeasureSize, Rounds, Variant, fill_memory, line, measure};
use prepare::prepare;
pub use served::{REMEMBERED, SERVED_ALONE, app_toml};
pub use tables::{METADATA, data_set};
pub use workload::{Facts, Lookup};

/// The tables.
pub const TABLES: [&str; 4] = ["t1", "t2", "t3", "t4"];

/// The value of a key.
fn value_of(key: u64) -> String {
    format!("value {key}")
}
