//! PostgreSQL: pipelined connections for batched reads by key, others for pages and for writes.

mod bulk;
pub mod catalog;
mod changes;
mod connection;
mod database;
mod handle;
mod instance;
mod location;
mod log_position;
mod notify;
mod own;
mod pool;
mod read;
mod schema_watch;
mod setup;
mod standbys;
mod store;
mod transactions;
mod watch;
mod write_gates;

pub use changes::prepare::{prepare as prepare_changes, remove as remove_changes};
pub use database::{Database, most_connections};
pub use location::ENTRY;
