//! Results on disk: the file of a result, and the log of its histograms beside it.

mod histogram_log;
mod json;
mod notes;

pub use histogram_log::{LogWriter, merge_logs, open_log, path_beside};
pub use json::{read, write};
pub use notes::{add_note, notes};

/// The name of the result's file in its folder.
pub const RESULT: &str = "result.json";
/// The name of the log in the folder of a result.
pub const LOG: &str = "histograms.hlog";
/// The name of the notes in the folder of a result.
pub const NOTES: &str = "notes.ndjson";
