//! The command line of the commands that check the bench itself: `duet bench selftest` and
//! `validate`.

use clap::Args;

use super::workloads;

/// Test the bench itself against servers whose true times are known
///
/// A server of its own stops responding in the middle of a run, another one draws its delays: the
/// measured times must equal those that follow from the servers' logs. Exit code 4 if they do not.
/// Takes half a minute on an idle machine; on a busy one times may be off.
#[derive(Debug, Args)]
pub(crate) struct BenchSelftest {
    /// A few seconds; checks only what a busy machine cannot disturb
    #[arg(long)]
    pub(crate) quick: bool,
}

/// Check that a result is consistent, or that a data set's rows are correct
///
/// A result: sums, histograms, percentiles, seconds. A data set: counts and sums against the
/// generator's, references and rules. Exit code 4 if a check fails.
#[derive(Debug, Args)]
pub(crate) struct BenchValidate {
    /// A result or a data set.
    #[arg(value_name = "RESULT|DATASET", help = workloads::validated())]
    pub(crate) what: String,
    /// The database of the data set, postgres://… or sqlite:PATH
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}
