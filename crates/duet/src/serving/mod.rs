//! What surrounds a server that runs: its client for the run, what is said at the start, and the
//! file that says so to programs; and the log while it runs.

mod banner;
pub(crate) mod log;
mod ready_file;
mod run_client;

pub(crate) use banner::{Banner, MountLines, ResourceLine};
pub(crate) use ready_file::ReadyFile;
pub(crate) use run_client::RunClient;
