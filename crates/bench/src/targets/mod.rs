//! What is measured, and how it is spoken to.

mod connections;
pub mod http;
pub mod sql;

pub use connections::have_room;
