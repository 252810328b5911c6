//! Four tables of keys and values, each kept in another way: what a read by key costs.
//!
//! [`data_set`] makes the tables. [`Lookup`] is the workload: random keys, any number of users.
//! [`serve_once`] is the other method, that of the published measurement: one connection reads all keys
//! in their order, in a process of its own, and the process tells how long it took.

mod data;
mod discover;
mod entry;
mod how;
mod measure;
mod once;
mod reader;
mod schema;
mod way;
mod workload;

pub use data::data_set;
pub use discover::{Access, discover};
pub use entry::Entry;
pub use how::{How, how};
pub use measure::{Rounds, Variant, line, measure};
pub use once::{Once, run_once, serve_once};
pub use schema::METADATA;
pub use way::Way;
pub use workload::{Facts, Lookup};

/// The tables.
pub const TABLES: [&str; 4] = ["t1", "t2", "t3", "t4"];

/// The value that belongs to a key.
fn value_of(key: u64) -> String {
    format!("value {key}")
}
