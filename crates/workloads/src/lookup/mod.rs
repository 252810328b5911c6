//! Four tables of keys and values, each kept in another way: what a read by key costs.
//!
//! [`data_set`] makes the tables. [`Lookup`] is the workload: random keys, any number of users.
//! [`serve_cold`] is the other method, that of the published measurement: one connection reads all keys
//! in their order, in a process of its own, and the process tells how long it took.

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
pub use measure::{Rounds, Variant, fill_memory, line, measure};
use prepare::prepare;
pub use served::{REMEMBERED, SERVED_ALONE, app_toml};
pub use tables::{METADATA, data_set};
pub use workload::{Facts, Lookup};

/// The tables.
pub const TABLES: [&str; 4] = ["t1", "t2", "t3", "t4"];

/// The value that belongs to a key.
fn value_of(key: u64) -> String {
    format!("value {key}")
}
