//! Parts around a running server: the client of the run, the output at the start, the ready file
//! for programs, and the log.

mod banner;
mod console_entry;
pub(crate) mod log;
mod ready_file;
mod run_client;

pub(crate) use banner::{Access, Banner, Detail, MountLines, ResourceLine};
pub(crate) use console_entry::ConsoleEntry;
pub(crate) use ready_file::{ReadyFile, ready_text};
pub(crate) use run_client::{FixedCredentials, RunClient};
