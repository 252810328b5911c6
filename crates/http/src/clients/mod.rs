//! Clients that are connected: who they are, and the memory that their bytes hold.

pub(crate) mod connection_table;
pub(crate) mod leased;
pub(crate) mod live_seats;
pub(crate) mod remote;
