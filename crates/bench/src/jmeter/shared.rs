//! What all threads of a run share.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::csv::Rows;
use super::figures::Figures;
use super::functions::SharedValues;
use crate::sample_files::{Sample, Samples};

/// What all threads share.
pub(super) struct Shared {
    pub(super) values: SharedValues,
    /// The rows of the data sets.
    pub(super) rows: Vec<Rows>,
    /// What each controller has done: executions, and iterations.
    pub(super) counts: Vec<(u64, u64)>,
    /// The threads of each group that run.
    pub(super) running: Vec<usize>,
    pub(super) stopped: bool,
    pub(super) figures: Figures,
    pub(super) outputs: Vec<Box<dyn Samples>>,
    pub(super) failed: Option<io::Error>,
}

impl Shared {
    /// The threads that run: of a group, and of all.
    pub(super) fn running(&self, group: usize) -> (usize, usize) {
        (self.running[group], self.running.iter().sum())
    }

    /// Counts and writes a sample. A run whose samples cannot be written ends.
    pub(super) fn ended(&mut self, sample: &Sample) {
        self.figures.add(sample);
        let results = self.outputs.iter_mut().map(|output| output.ended(sample));
        if let Some(error) = results.filter_map(Result::err).last() {
            self.fail(error);
        }
    }

    /// A thread of a group has begun or ended.
    pub(super) fn thread(&mut self, (group, name): (usize, &str), begins: bool) {
        let running = &mut self.running[group];
        *running = if begins { *running + 1 } else { running.saturating_sub(1) };
        let at = now_ms();
        let results = self.outputs.iter_mut().map(|output| output.thread(name, begins, at));
        if let Some(error) = results.filter_map(Result::err).last() {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.failed.get_or_insert(error);
        self.stopped = true;
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
