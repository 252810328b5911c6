//! Embedded SQLite. Reads by key run on the worker's own thread, where they take microseconds;
//! pages run on reader threads, so that a long scan blocks no other request; one thread writes.

mod batch;
mod checkpoint;
pub(crate) mod connection;
mod database;
pub(crate) mod failure;
mod file;
mod foreign;
pub(crate) mod functions;
mod handle;
mod health;
mod job;
mod large;
mod late_sync;
mod pairs;
mod probe;
mod progress;
mod readers;
pub(crate) mod run;
mod session;
pub(crate) mod slice;
mod snapshots;
pub(crate) mod stored;
mod stream;
pub(crate) mod ticket;
pub(crate) mod turns;
mod version;
mod watched;
mod writer;

pub use connection::Synchronous;
pub use database::Database;
pub use file::{File, Options};
pub use handle::Handle;
pub(crate) use stream::StreamRows;
