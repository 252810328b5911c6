//! The summary of a search: curves, scalability law, result.

use super::{DiscardedTrial, Search, SearchPoint, SearchResult, State};
use crate::judge::scaling::{self, Fit, LoadLevel};
use crate::judge::{knee, mean};
use crate::series::TrialResult;

impl Search {
    /// The closed runs: users and result.
    pub fn levels(&self) -> &[(u32, TrialResult)] {
        &self.levels
    }

    /// The open runs, in order.
    pub fn points(&self) -> &[SearchPoint] {
        &self.points
    }

    /// The repeated trials, in order.
    pub fn discarded(&self) -> &[DiscardedTrial] {
        &self.discarded
    }

    /// Rates with mean p99 in ms of the runs on the way up, ascending.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        self.curve_of(false)
    }

    /// The same for the way down, without the overload.
    pub fn curve_down(&self) -> Vec<(f64, f64)> {
        self.curve_of(true)
    }

    fn curve_of(&self, down: bool) -> Vec<(f64, f64)> {
        let on_the_way = |point: &&SearchPoint| point.down == down && !point.overload;
        let points: Vec<&SearchPoint> = self.points.iter().filter(on_the_way).collect();
        let mut rates: Vec<f64> = points.iter().map(|point| point.rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        let at = |rate: f64| {
            let these = points.iter().filter(|point| point.rate.total_cmp(&rate).is_eq());
            let times: Vec<f64> = these.filter_map(|point| point.trial.figures.p99_ms).collect();
            (!times.is_empty()).then(|| (rate, mean(&times)))
        };
        rates.into_iter().filter_map(at).collect()
    }

    /// The scalability law of the closed runs; `None` with fewer than six levels.
    pub fn law(&self) -> Option<Fit> {
        let level = |(users, trial): &(u32, TrialResult)| LoadLevel {
            users: f64::from(*users),
            per_s: trial.figures.per_s,
            variance: trial.variance,
        };
        scaling::fit(&self.levels.iter().map(level).collect::<Vec<_>>())
    }

    /// The result so far, complete at the end.
    pub fn found(&self) -> SearchResult {
        let trials = self.levels.iter().map(|(_, trial)| trial);
        let points = self.points.iter().filter(|point| !point.overload);
        let trials = trials.chain(points.map(|point| &point.trial));
        SearchResult {
            passing: self.passed.last().copied(),
            best_trial: self.best_trial(),
            failed_trial: self.failed_trial(),
            was_open: !self.points.is_empty(),
            contradiction: self.contradiction(),
            refused: self.refused,
            finished: self.state == State::Done,
            held: self.held,
            down: self.down,
            confirmed: self.state == State::Done && self.held && self.holds_downwards(),
            p99_down_by_up: self.down_by_up(),
            failing: self.failed,
            knee: self.knee(),
            scaling: self.law().map(|fit| fit.sentence()),
            discarded: self.discarded.len(),
            doubtful: trials.filter(|trial| !trial.doubts.is_empty()).count(),
        }
    }

    /// The highest rate at which any run passed on the way up.
    fn best_trial(&self) -> Option<f64> {
        let passed = self.points.iter().filter(|it| !it.down && it.trial.passed());
        passed.map(|it| it.rate).max_by(f64::total_cmp)
    }

    /// The lowest rate at which any run failed on the way up.
    fn failed_trial(&self) -> Option<f64> {
        let failed = self.points.iter().filter(|it| !it.down && !it.trial.passed());
        failed.map(|it| it.rate).min_by(f64::total_cmp)
    }

    /// The lowest rate at which more runs failed than passed on the way up, and the highest rate above it
    /// at which more passed.
    fn contradiction(&self) -> Option<(f64, f64)> {
        let of = |is_wanted: fn((u32, u32)) -> bool| {
            let up = self.points.iter().filter(|it| !it.down && !it.long);
            let rates: Vec<f64> = up.map(|it| it.rate).collect();
            rates.into_iter().filter(move |rate| is_wanted(self.votes(*rate)))
        };
        let failed = of(|(yes, no)| no > yes).min_by(f64::total_cmp)?;
        let passed = of(|(yes, no)| yes > no).max_by(f64::total_cmp)?;
        (passed > failed).then_some((failed, passed))
    }

    pub(super) fn knee(&self) -> Option<f64> {
        let curve = self.curve();
        knee::find(&curve, 1.0).map(|place| curve[place].0)
    }

    /// The geometric mean of the ratio of p99 down to up at the rates that have both.
    fn down_by_up(&self) -> Option<f64> {
        let up = self.curve();
        let ratio = |(rate, down): &(f64, f64)| {
            let (_, up) = up.iter().find(|(same, _)| same.total_cmp(rate).is_eq())?;
            (*up > 0.0 && *down > 0.0).then(|| (down / up).ln())
        };
        let ratios: Vec<f64> = self.curve_down().iter().filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| mean(&ratios).exp())
    }
}
