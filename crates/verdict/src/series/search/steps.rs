//! What a search runs, and what it finds.

use serde::{Deserialize, Serialize};

use crate::series::Trial;

/// What is to run next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A closed run of so many users.
    Users(u32),
    /// An open run at this rate.
    Rate(f64),
    /// A longer open run.
    Confirm(f64),
    /// An open run above the capacity of the server.
    Overload(f64),
    /// An open run on the way down from there.
    Down(f64),
}

impl Step {
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
pub struct Point {
    /// Arrivals per second.
    pub rate: f64,
    /// Whether it was the longer run.
    pub long: bool,
    /// Whether it was the overload, or on the way down from it.
    #[serde(default)]
    pub down: bool,
    /// Whether it was the overload: it only goes before, and nothing is read from it.
    #[serde(default)]
    pub overload: bool,
    /// What came.
    pub trial: Trial,
}

impl Point {
    /// One on the way up.
    pub(super) fn up(rate: f64, trial: Trial) -> Self {
        Self { rate, long: false, down: false, overload: false, trial }
    }
}

/// A slice that was run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discarded {
    /// Users of a closed run, arrivals per second of an open one.
    pub load: f64,
    /// Whether it was a closed run.
    pub closed: bool,
    /// What came.
    pub trial: Trial,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The highest rate that passed: two of three runs.
    pub passing: Option<f64>,
    /// The highest rate at which a run passed on the way up, one of three among them.
    #[serde(default)]
    pub best_slice: Option<f64>,
    /// A rate that failed, and a higher one that passed.
    #[serde(default)]
    pub contradiction: Option<(f64, f64)>,
    /// Rates that a longer run refused.
    #[serde(default)]
    pub refused: u32,
    /// Whether the search came to its end.
    #[serde(default)]
    pub finished: bool,
    /// Whether a longer run passed at it.
    #[serde(default)]
    pub held: bool,
    /// The highest rate that passed on the way down from an overload.
    #[serde(default)]
    pub down: Option<f64>,
    /// Whether a longer run passed, and so did the way down, at the rate or a little below.
    pub confirmed: bool,
    /// p99 on the way down ÷ p99 on the way up, at the same rates, on average.
    #[serde(default)]
    pub p99_down_by_up: Option<f64>,
    /// Slices that were discarded and run again.
    #[serde(default)]
    pub discarded: usize,
    /// Slices that count although they say little of the server.
    #[serde(default)]
    pub doubtful: usize,
    /// The lowest rate above it that did not pass.
    pub failing: Option<f64>,
    /// Where p99 turns upwards: a hint.
    pub knee: Option<f64>,
    /// What more users bring, in a sentence.
    pub scaling: Option<String>,
}
