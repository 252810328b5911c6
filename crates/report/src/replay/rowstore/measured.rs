//! What was measured: runs of each variant, and where.

use duet_verdict::result::HostFacts;

use super::paths::Path;
use super::ratio::trimmed_mean;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Keys that each run reads; the tables have as many rows.
    pub keys: u64,
    /// Runs of each variant.
    pub runs: u32,
}

impl Size {
    /// As published.
    pub const FULL: Self = Self { keys: 100_000, runs: 5 };
    /// For a look: too little to decide anything.
    pub const QUICK: Self = Self { keys: 5_000, runs: 2 };
}

/// The runs of a variant, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The path.
    pub path: &'static Path,
    /// The table.
    pub table: &'static str,
    /// Of each run.
    pub seconds: Vec<f64>,
}

impl Series {
    /// The average, as the report takes it.
    pub(super) fn mean(&self) -> Option<f64> {
        trimmed_mean(&self.seconds)
    }
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How much.
    pub size: Size,
    /// The runs of each variant.
    pub series: Vec<Series>,
    /// When it began.
    pub started: String,
    /// The machine, before it began.
    pub host: HostFacts,
    /// Whether it was ended before its time.
    pub interrupted: bool,
}

impl Measured {
    /// The runs of a table by a path.
    pub(super) fn of(&self, path: &Path, table: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.path == path && series.table == table)
    }

    /// The paths that were measured, in their order.
    pub(super) fn paths(&self) -> Vec<&'static Path> {
        let mut paths: Vec<&'static Path> = Vec::new();
        for series in &self.series {
            if !paths.contains(&series.path) {
                paths.push(series.path);
            }
        }
        paths
    }
}
