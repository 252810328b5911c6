//! A measurement: variants with their runs.

use std::collections::BTreeMap;

use duet_verdict::result::{HostFacts, RunResult};

use super::labels::{HasLabels, Labels};

/// Known facts by name.
pub type Facts = BTreeMap<String, String>;

/// A variant of what a report measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its labels: `workload`, `layout`.
    pub labels: Labels,
    /// The reason if it cannot be measured.
    pub missing: Option<String>,
}

impl Variant {
    /// The value of a label; empty where it has none.
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

/// The runs of a variant, one per round.
#[derive(Clone, Debug)]
pub enum Runs {
    /// Their results.
    Results(Vec<RunResult>),
    /// How long each took.
    Seconds(Vec<f64>),
}

/// A variant with its runs.
#[derive(Clone, Debug)]
pub struct Series {
    /// The variant.
    pub variant: Variant,
    /// Its runs; empty if it cannot be measured.
    pub runs: Runs,
}

impl HasLabels for Series {
    fn labels(&self) -> &Labels {
        &self.variant.labels
    }
}

impl Series {
    pub(super) fn results(&self) -> &[RunResult] {
        match &self.runs {
            Runs::Results(results) => results,
            Runs::Seconds(_) => &[],
        }
    }

    pub(super) fn seconds(&self) -> &[f64] {
        match &self.runs {
            Runs::Seconds(seconds) => seconds,
            Runs::Results(_) => &[],
        }
    }

    pub(super) fn is_measured(&self) -> bool {
        !self.results().is_empty() || !self.seconds().is_empty()
    }

    /// Seconds, all rounds together.
    pub fn measured_s(&self) -> f64 {
        match &self.runs {
            Runs::Results(results) => results.iter().map(|result| result.window.measured_s).sum(),
            Runs::Seconds(seconds) => seconds.iter().sum(),
        }
    }
}

/// A whole measurement.
#[derive(Clone, Debug, Default)]
pub struct ReplayMeasurement {
    /// The variants that were to be measured, in the report's order.
    pub series: Vec<Series>,
    /// Reads of each run, if runs read single keys.
    pub reads: u64,
    /// The machine, if results do not describe it.
    pub host: Option<HostFacts>,
    /// Facts that only the runner knows.
    pub facts: Facts,
}
