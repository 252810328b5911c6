//! The result of a run so far, for views of a run that goes on.

use duet_verdict::result::{Percentiles, RunResult, Second};
use duet_verdict::threshold::judge_again;
use duet_verdict::times::{SparseTimes, histogram, pack};

use super::collect::Merged;

/// A phase that counts.
const MEASURE: &str = "measure";

/// What has been counted of the measured time; before that, of all seconds.
#[derive(Clone, Debug)]
pub struct Progress {
    result: RunResult,
    /// Service and response times by type.
    times: Vec<[SparseTimes; 2]>,
}

impl Progress {
    /// For a run with these facts, which are known before it begins.
    pub fn new(begun: &RunResult) -> Self {
        let mut result = begun.clone();
        result.window.ended_by.clear();
        let times = vec![<[SparseTimes; 2]>::default(); result.types.len()];
        let mut progress = Self { result, times };
        progress.restart(0);
        progress
    }

    /// Counts from this second on.
    fn restart(&mut self, second: u64) {
        let result = &mut self.result;
        (result.window.from_s, result.window.measured_s) = (second as f64, 0.0);
        result.totals = duet_verdict::result::Totals::default();
        for (kind, times) in result.types.iter_mut().zip(&mut self.times) {
            (kind.completed, kind.failed, kind.completed_in_window) = (0, 0, 0);
            *times = Default::default();
        }
    }

    /// Adds a second.
    pub fn second(&mut self, merged: &Merged, row: &Second) {
        let is_measured = row.phase == MEASURE;
        let was_measured = self.result.seconds.iter().rev().any(|it| it.phase == MEASURE);
        if is_measured && !was_measured {
            self.restart(row.at_s);
        }
        if is_measured || !was_measured {
            self.count(merged, row);
        }
        self.result.seconds.push(row.clone());
    }

    fn count(&mut self, merged: &Merged, row: &Second) {
        let result = &mut self.result;
        result.window.measured_s += 1.0;
        let totals = &mut result.totals;
        totals.completed += row.completed;
        totals.failed += row.failed;
        totals.completed_in_window += row.completed;
        totals.failed_in_window += row.failed;
        for (place, tally) in &merged.kinds {
            let of_type = (result.types.get_mut(*place), self.times.get_mut(*place));
            let (Some(kind), Some(times)) = of_type else { continue };
            kind.completed += tally.completed();
            kind.failed += tally.failed();
            kind.completed_in_window += tally.completed();
            times[0].add(&tally.service);
            times[1].add(&tally.response);
        }
    }

    /// The result of what has been counted.
    pub fn result(&self) -> RunResult {
        let mut result = self.result.clone();
        let measured_s = result.window.measured_s.max(1.0);
        let mut all = [histogram(), histogram()];
        let types = result.types.iter_mut().zip(&self.times);
        for (kind, times) in types.filter(|(_, [service, _])| !service.is_empty()) {
            let each = times.each_ref().map(SparseTimes::histogram);
            [kind.service, kind.response] = each.each_ref().map(|it| Percentiles::of(it));
            [kind.service_histogram, kind.response_histogram] = each.each_ref().map(|it| pack(it));
            times.iter().zip(&mut all).for_each(|(times, sum)| times.add_to(sum));
        }
        let totals = &mut result.totals;
        [totals.service, totals.response] = all.each_ref().map(Percentiles::of);
        totals.tps = totals.completed as f64 / measured_s;
        totals.ended_per_s = (totals.completed + totals.failed) as f64 / measured_s;
        result.window.total_s = result.seconds.len() as f64;
        judge_again(&mut result);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use duet_verdict::result::TypeResult;

    use super::*;
    use crate::record::Tally;

    #[test]
    fn the_measured_time_begins_anew() {
        let begun = RunResult { types: vec![TypeResult::default()], ..RunResult::default() };
        let mut progress = Progress::new(&begun);
        for (at_s, phase) in [(0, "warm-up"), (1, MEASURE), (2, MEASURE), (3, "cool-down")] {
            let mut tally = Tally::default();
            tally.service.record(Duration::from_millis(at_s + 1));
            tally.outcomes[0] = 1;
            let kinds = [(0, tally.clone())].into();
            let (cpu, parts) = (Duration::ZERO, BTreeMap::new());
            let merged = Merged { second: at_s, users: 1, types: 1, kinds, all: tally, cpu, parts };
            let row = Second { at_s, phase: phase.into(), completed: 1, ..Second::default() };
            progress.second(&merged, &row);
            let result = progress.result();
            let expected = [(0.0, 1, 1.0), (1.0, 1, 1.0), (1.0, 2, 2.0), (1.0, 2, 2.0)];
            let window = &result.window;
            let found = (window.from_s, result.totals.completed, window.measured_s);
            assert_eq!(found, expected[at_s as usize]);
            assert_eq!(result.types[0].completed, result.totals.completed);
        }
        let result = progress.result();
        assert!(result.window.ended_by.is_empty(), "it goes on");
        assert_eq!((result.seconds.len(), result.totals.service.count), (4, 2));
    }
}
