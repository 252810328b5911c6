//! Results on disk: the file of a result, and the log of its histograms beside it.

mod file;
mod log;

pub use file::{read, write};
pub use log::{LogWriter, merge_logs, open_log, path_beside};

/// The name of the result's file in its folder.
pub const RESULT: &str = "result.json";
/// The name of the log in the folder of a result.
pub const LOG: &str = "histograms.hlog";
