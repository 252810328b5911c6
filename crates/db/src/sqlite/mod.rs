//! Embedded SQLite. Reads by key run on the worker's own thread, where they take microseconds;
//! pages run on reader threads, so that a long scan stops nobody.

mod database;
mod functions;
mod handle;
mod readers;
mod run;
mod version;
mod watched;

pub use database::{Database, Options};
pub use handle::Handle;
