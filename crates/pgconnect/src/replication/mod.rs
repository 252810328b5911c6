//! The replication mode: its connection, and the messages of the output plugin.

pub(crate) mod connection;
pub mod pgoutput;
