//! What the registry knows of a workload.

use duet_bench::workload::Configured;

use crate::generate::Source;

/// A built-in workload: the source of its data, and how another process takes it over.
pub trait BuiltIn: Source {
    /// The name by which `duet bench run` measures its data first.
    fn first_run(&self) -> &'static str {
        self.name()
    }

    /// What [`Configured::json`] made, as the workload that it was.
    ///
    /// # Errors
    /// Where it is something else.
    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>>;
}
