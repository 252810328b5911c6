//! Commands that draft an application's files.

pub(super) mod infer;
pub(super) mod init;
mod new_file;
