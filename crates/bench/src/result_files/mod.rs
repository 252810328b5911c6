//! Results on disk: the file of a result, and the log of its histograms beside it.

mod histogram_log;
mod json;

pub use histogram_log::{LogWriter, merge_logs, open_log, path_beside};
pub use json::{read, write};

/// The name of the result's file in its folder.
pub const RESULT: &str = "result.json";
/// The name of the log in the folder of a result.
pub const LOG: &str = "histograms.hlog";
