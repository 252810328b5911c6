//! The targets of a load test, and their clients.

mod connections;
pub mod http;
pub mod sql;

pub use connections::have_room;
