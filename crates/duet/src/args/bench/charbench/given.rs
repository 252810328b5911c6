//! The options that a command line of Swingbench's `charbench` gives.

use std::ffi::OsString;

use duet_bench::swingbench::Configuration;

use super::target::Target;
use super::times::{Times, has};

/// The options of a command line.
#[derive(Default)]
pub(super) struct Given {
    /// Those that are options here, in their order.
    pub(super) ours: Vec<OsString>,
    pub(super) known: Option<Known>,
    pub(super) workload: Option<&'static str>,
    pub(super) target: Target,
    pub(super) users: Option<u32>,
    pub(super) times: Times,
    pub(super) results: Option<String>,
    pub(super) no_results: bool,
    pub(super) is_version: bool,
}

impl Given {
    /// Whether an option of ours is on the command line.
    pub(super) fn has(&self, option: &str) -> bool {
        has(&self.ours, option)
    }

    /// Whether a type is enabled on the command line.
    pub(super) fn enables(&self, short: &str) -> bool {
        let values = self.ours.windows(2).filter(|pair| pair[0] == "--enable");
        let mut names = values.filter_map(|pair| pair[1].to_str()).flat_map(|all| all.split(','));
        names.any(|name| name == short)
    }
}

/// A configuration whose workload is known.
pub(super) struct Known {
    pub(super) workload: &'static str,
    /// The path and the settings, if it is a file.
    pub(super) file: Option<(String, Configuration)>,
}
