//! What a process of a run reports: its seconds, that it has drained, and its end.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_verdict::result::{Answer, CheckRow};
use serde::{Deserialize, Serialize};

use super::plan::Share;
use super::sample_log::SampleCount;
use crate::record::{ProcessTotals, Tallies};

/// An event of a process during a run.
#[derive(Debug)]
pub enum Event {
    /// A second has ended.
    Second {
        /// The process's number.
        process: u32,
        /// The second's number.
        second: u64,
        /// The most users with a connection in it.
        users: u32,
        /// The transactions that ended in it.
        kinds: Tallies,
        /// Processor time that the process used in it.
        cpu: Duration,
    },
    /// Everything due in its window has ended. It keeps up the load until this holds for all
    /// processes.
    Drained {
        /// The process's number.
        process: u32,
    },
    /// It has ended.
    Ended(Box<Ended>),
    /// It was lost without a final report.
    Lost {
        /// The process's number.
        process: u32,
        /// The known reason.
        message: String,
    },
}

/// The final report of a process.
#[derive(Debug)]
pub struct Ended {
    /// Its share of the run.
    pub share: Share,
    /// Its measurements.
    pub totals: ProcessTotals,
    /// Users that panicked, through a fault of the load generator.
    pub panicked: u32,
    /// Its answers by question.
    pub answers: BTreeMap<String, Answer>,
    /// How often each check passed.
    pub checks: Vec<CheckRow>,
    /// Its cost.
    pub cost: Cost,
    /// The samples that it wrote.
    pub samples: SampleCount,
}

/// The total cost of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Processor time.
    pub cpu: Duration,
    /// The share of the run in which the thread of its users ran; 0 where each has its own.
    #[serde(default)]
    pub thread_share: f64,
    /// The share of the run that its users waited, on average, because others of them were being recorded.
    #[serde(default)]
    pub recording_share: f64,
    /// Its largest resident memory, in bytes.
    pub memory: u64,
}
