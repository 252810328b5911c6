//! The steps and the result of a search.

use serde::{Deserialize, Serialize};

use crate::series::TrialResult;

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchStep {
    /// A closed run with this many users.
    Users(u32),
    /// An open run at this rate.
    Rate(f64),
    /// A longer open run.
    Confirm(f64),
    /// An open run above the capacity of the server.
    Overload(f64),
    /// An open run at a descending rate after the overload.
    Down(f64),
}

impl SearchStep {
    pub(super) fn part(self) -> usize {
        match self {
            Self::Users(_) => 0,
            Self::Rate(_) | Self::Confirm(_) => 1,
            Self::Overload(_) | Self::Down(_) => 2,
        }
    }

    /// Users or arrivals per second.
    pub(super) fn load(self) -> f64 {
        match self {
            Self::Users(users) => f64::from(users),
            Self::Rate(rate) | Self::Confirm(rate) | Self::Overload(rate) | Self::Down(rate) => {
                rate
            }
        }
    }
}

/// A run at a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPoint {
    /// Arrivals per second.
    pub rate: f64,
    /// Whether it was the longer run.
    pub long: bool,
    /// Whether it was the overload or on the way down.
    #[serde(default)]
    pub down: bool,
    /// Whether it was the overload, whose result is not used.
    #[serde(default)]
    pub overload: bool,
    /// The result.
    pub trial: TrialResult,
}

impl SearchPoint {
    /// A point on the way up.
    pub(super) fn up(rate: f64, trial: TrialResult) -> Self {
        Self { rate, long: false, down: false, overload: false, trial }
    }
}

/// A discarded and repeated trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiscardedTrial {
    /// Users of a closed run, arrivals per second of an open one.
    pub load: f64,
    /// Whether it was a closed run.
    pub closed: bool,
    /// The result.
    pub trial: TrialResult,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The highest rate that passed two of three runs.
    pub passing: Option<f64>,
    /// The highest rate at which any run passed on the way up.
    #[serde(default)]
    pub best_trial: Option<f64>,
    /// The lowest rate at which any run failed on the way up.
    #[serde(default)]
    pub failed_trial: Option<f64>,
    /// Whether any open run was made.
    #[serde(default)]
    pub was_open: bool,
    /// A failed rate and a higher one that passed.
    #[serde(default)]
    pub contradiction: Option<(f64, f64)>,
    /// Rates that a longer run rejected.
    #[serde(default)]
    pub refused: u32,
    /// Whether the search is complete.
    #[serde(default)]
    pub finished: bool,
    /// Whether the longer run passed at the rate.
    #[serde(default)]
    pub held: bool,
    /// The highest rate that passed on the way down from an overload.
    #[serde(default)]
    pub down: Option<f64>,
    /// Whether the longer run and the way down both passed, at the rate or slightly below.
    pub confirmed: bool,
    /// p99 on the way down ÷ p99 on the way up, at the same rates, on average.
    #[serde(default)]
    pub p99_down_by_up: Option<f64>,
    /// The number of discarded and repeated trials.
    #[serde(default)]
    pub discarded: usize,
    /// The number of noisy trials that count.
    #[serde(default)]
    pub doubtful: usize,
    /// The lowest rate above it that two of three runs, or the longer one, failed.
    pub failing: Option<f64>,
    /// The knee of p99, a hint.
    pub knee: Option<f64>,
    /// The summary of how throughput scales with users.
    pub scaling: Option<String>,
}
