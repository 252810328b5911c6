//! Files that a command makes, which must not exist yet.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use duet_bench::whole_file;

use crate::command_error::CommandError;
use crate::report::Outcome;

/// Writes a new file, and makes the folders above it. The hint says how another folder is named.
///
/// # Errors
/// Where it exists, or cannot be written.
pub(in crate::commands) fn write(path: &Path, text: &str, hint: &str) -> Outcome {
    let refused = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path, hint),
        _ => CommandError::unwritable(path, error),
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refused)?;
    }
    whole_file::write_new(path, text).map_err(refused)
}

/// The error for a file that exists.
pub(in crate::commands) fn exists(path: &Path, hint: &str) -> CommandError {
    CommandError::file(format!("{} exists; it is not changed.", path.display())).hint(hint)
}
