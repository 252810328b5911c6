//! Commands that draft an application's files.

pub(super) mod infer;
pub(super) mod init;
pub(in crate::commands) mod new_file;
