//! The command line of what tells whether the bench can be trusted: `duet bench selftest` and `validate`.

use clap::Args;

use super::workloads;

/// Test the bench itself against servers that know the truth
///
/// A server of its own stops answering in the middle of a run, another one draws its delays: what the bench
/// measures must be what follows from the servers' logs. Exit code 4 if it is not. Takes half a minute on
/// an idle machine; on a busy one times may be off.
#[derive(Debug, Args)]
pub(crate) struct BenchSelftest {
    /// A few seconds; asks only for what a busy machine cannot spoil
    #[arg(long)]
    pub(crate) quick: bool,
}

/// Check that a result agrees with itself, or that a data set's rows are right
///
/// Of a result: sums, histograms, percentiles, seconds. Of a data set: counts and sums against the
/// generator's, references and rules. Exit code 4 if something does not hold.
#[derive(Debug, Args)]
pub(crate) struct BenchValidate {
    /// A result or a data set.
    #[arg(value_name = "RESULT|DATASET", help = workloads::validated())]
    pub(crate) what: String,
    /// The database of the data set, postgres://… or sqlite:PATH
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}
