//! The arguments of a plan of JMeter: `duet bench run plan.jmx`, and its earlier name `duet bench jmeter`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::run::positive_duration;

/// Run a plan of JMeter and print the figures of its aggregate report
///
/// The plan is read as it is: thread groups, HTTP samplers, controllers, data sets, assertions, extractors. What
/// cannot be taken ends the command with exit code 2, which names the construct and its line. Ends with exit code 1
/// where a sample has failed.
#[derive(Debug, Args)]
pub(crate) struct BenchJmeter {
    /// The plan
    #[arg(value_name = "PLAN.jmx")]
    pub(crate) plan: PathBuf,
    /// Give a property that the plan reads, as JMeter's -J does
    #[arg(short = 'J', value_name = "NAME=VALUE", value_parser = property)]
    pub(crate) properties: Vec<(String, String)>,
    /// Write every sample as JMeter's JTL, which `jmeter -g` makes a report of
    #[arg(long, value_name = "FILE")]
    pub(crate) jtl: Option<PathBuf>,
    /// Write every sample as Gatling's simulation.log
    #[arg(long, value_name = "FILE")]
    pub(crate) gatling: Option<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How long a response may take
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = positive_duration)]
    pub(crate) timeout: Duration,
}

pub(in crate::args) fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a property is NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
