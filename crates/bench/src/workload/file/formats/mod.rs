//! Forms of other files and texts that workloads read.

pub(super) mod css;
pub(crate) mod csv;
pub(super) mod jmes_path;
pub(super) mod json_path;
