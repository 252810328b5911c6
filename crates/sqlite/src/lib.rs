//! Embedded SQLite. Reads by key run on the worker's own thread, where they take microseconds;
//! pages run on reader threads, so that a long scan blocks no other request; one thread writes.

mod bulk;
pub mod catalog;
mod connection;
mod database;
mod file;
pub mod functions;
mod handle;
mod location;
mod read;
mod setup;
mod store;
mod write;

pub use database::Database;
pub use duet_store::files::{Options, Synchronous};
pub use file::File;
pub use location::ENTRY;
