//! What a run starts beside itself, and what is undone at its end.

pub(super) mod bridge;
pub(super) mod host;
pub(super) mod own_server;
pub(super) mod served;
pub(in crate::commands) mod server_process;
pub(in crate::commands) mod signals;
pub(super) mod spinners;
pub(in crate::commands) mod undo;
