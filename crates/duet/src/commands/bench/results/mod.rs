//! The results of runs: their files, and the commands that read them.

pub(super) mod compare;
pub(super) mod files;
pub(super) mod merge;
pub(super) mod report;
pub(super) mod results_xml;
pub(super) mod run_files;
pub(super) mod sample_files;
mod series_folder;
