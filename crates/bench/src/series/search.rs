//! The highest rate that keeps the limits: closed runs with more and more users show what throughput
//! there is, then open runs at rates between one that passes and one that does not, until both meet.
//! A rate is decided by two of three runs, the answer is confirmed by a longer one.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::trial::Trial;
use crate::judge::knee;
use crate::judge::scaling::{self, FEWEST, Fit, Level};

/// A level of users that brings less than this share more brings nothing.
const GAIN: f64 = 0.05;
/// After so many such levels in a row, users are enough.
const FLAT: u32 = 2;
/// Rates that only draw the curve, of the closed maximum.
const CURVE: [f64; 2] = [0.125, 0.25];
/// Where the search begins, of the closed maximum: what should pass, what should not.
const BRACKET: [f64; 2] = [0.5, 1.1];
/// By so much the upper end is raised where it passes, and how often.
const RAISE: f64 = 1.25;
const RAISES: u32 = 4;
/// Below this share of the closed maximum nothing is looked for.
const LOWEST: f64 = 1.0 / 64.0;
/// Both ends are near enough.
const NEAR: f64 = 0.02;
/// Answers that a longer run may refuse before the search gives up.
const REFUSED: u32 = 3;

/// What is to run next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A closed run of so many users.
    Users(u32),
    /// An open run at this rate.
    Rate(f64),
    /// A longer open run.
    Confirm(f64),
}

/// A run at a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Arrivals per second.
    pub rate: f64,
    /// Whether it was the longer run.
    pub long: bool,
    /// What came.
    pub trial: Trial,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The highest rate that passed.
    pub passing: Option<f64>,
    /// Whether a longer run passed at it.
    pub confirmed: bool,
    /// The lowest rate above it that did not pass.
    pub failing: Option<f64>,
    /// Where p99 turns upwards: a hint.
    pub knee: Option<f64>,
    /// What more users bring, in a sentence.
    pub scaling: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Doubling users.
    Users {
        next: u32,
        flat: u32,
        best: f64,
    },
    /// Levels between, so that the law can be fitted.
    Between(VecDeque<u32>),
    /// Rates for the curve.
    Curve(VecDeque<f64>),
    /// A rate, and how its runs ended so far.
    Rate {
        rate: f64,
        passed: u32,
        failed: u32,
    },
    Confirm {
        rate: f64,
    },
    Done {
        confirmed: bool,
    },
}

/// The search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    most_users: u32,
    state: State,
    levels: Vec<(u32, Trial)>,
    points: Vec<Point>,
    /// Rates that passed, ascending.
    passed: Vec<f64>,
    /// The lowest rate that did not.
    failed: Option<f64>,
    raised: u32,
    refused: u32,
}

impl Search {
    /// A search that tries so many users at most.
    pub fn new(most_users: u32) -> Self {
        Self {
            most_users: most_users.max(1),
            state: State::Users { next: 1, flat: 0, best: 0.0 },
            levels: Vec::new(),
            points: Vec::new(),
            passed: Vec::new(),
            failed: None,
            raised: 0,
            refused: 0,
        }
    }

    /// What is to run; none at the end. The same until [`Search::take`].
    pub fn next_step(&self) -> Option<Step> {
        match &self.state {
            State::Users { next, .. } => Some(Step::Users(*next)),
            State::Between(left) => left.front().copied().map(Step::Users),
            State::Curve(left) => left.front().copied().map(Step::Rate),
            State::Rate { rate, .. } => Some(Step::Rate(*rate)),
            State::Confirm { rate } => Some(Step::Confirm(*rate)),
            State::Done { .. } => None,
        }
    }

    /// What came of it.
    pub fn take(&mut self, trial: Trial) {
        let passed = trial.passed();
        match self.state.clone() {
            State::Users { next, flat, best } => self.users(next, flat, best, trial),
            State::Between(mut left) => {
                self.levels.extend(left.pop_front().map(|users| (users, trial)));
                self.state = State::Between(left);
                self.after_users();
            }
            State::Curve(mut left) => {
                if let Some(rate) = left.pop_front() {
                    self.points.push(Point { rate, long: false, trial });
                }
                self.state = State::Curve(left);
                self.after_curve();
            }
            State::Rate { rate, passed: yes, failed: no } => {
                self.points.push(Point { rate, long: false, trial });
                let (yes, no) = if passed { (yes + 1, no) } else { (yes, no + 1) };
                match (yes, no) {
                    (2.., _) => self.decided(rate, true),
                    (_, 2..) => self.decided(rate, false),
                    _ => self.state = State::Rate { rate, passed: yes, failed: no },
                }
            }
            State::Confirm { rate } => {
                self.points.push(Point { rate, long: true, trial });
                self.confirmed(rate, passed);
            }
            State::Done { .. } => {}
        }
    }

    fn users(&mut self, users: u32, flat: u32, best: f64, trial: Trial) {
        let per_s = trial.figures.per_s;
        let broke = !trial.passed();
        let flat = if per_s < best * (1.0 + GAIN) { flat + 1 } else { 0 };
        self.levels.push((users, trial));
        // Six levels are what the law needs.
        let enough = flat >= FLAT && self.levels.len() >= FEWEST;
        match users.checked_mul(2).filter(|next| *next <= self.most_users) {
            Some(next) if !broke && !enough => {
                self.state = State::Users { next, flat, best: best.max(per_s) };
            }
            _ => {
                self.state = State::Between(self.between());
                self.after_users();
            }
        }
    }

    /// Levels between those that ran, as many as are missing.
    fn between(&self) -> VecDeque<u32> {
        let missing = FEWEST.saturating_sub(self.levels.len());
        let middle = |two: &[(u32, Trial)]| two[0].0.midpoint(two[1].0);
        let all = self.levels.windows(2).filter(|two| two[1].0 - two[0].0 > 1).map(middle);
        all.take(missing).collect()
    }

    fn after_users(&mut self) {
        if self.state != State::Between(VecDeque::new()) {
            return;
        }
        let most = self.most();
        self.state = match most > 0.0 {
            true => State::Curve(CURVE.iter().map(|share| share * most).collect()),
            false => State::Done { confirmed: false },
        };
    }

    fn after_curve(&mut self) {
        if self.state == State::Curve(VecDeque::new()) {
            self.try_rate(BRACKET[0] * self.most());
        }
    }

    /// The highest throughput of all levels.
    fn most(&self) -> f64 {
        self.levels.iter().map(|(_, trial)| trial.figures.per_s).fold(0.0, f64::max)
    }

    fn try_rate(&mut self, rate: f64) {
        self.state = State::Rate { rate, passed: 0, failed: 0 };
    }

    fn decided(&mut self, rate: f64, passed: bool) {
        if passed {
            self.passed.push(rate);
            self.passed.sort_by(f64::total_cmp);
        } else {
            self.failed = Some(self.failed.map_or(rate, |failed| failed.min(rate)));
        }
        self.bisect();
    }

    fn bisect(&mut self) {
        let most = self.most();
        match (self.passed.last().copied(), self.failed) {
            (None, Some(high)) if high / 2.0 >= LOWEST * most => self.try_rate(high / 2.0),
            (None, _) => self.state = State::Done { confirmed: false },
            (Some(low), None) if low < BRACKET[1] * most => self.try_rate(BRACKET[1] * most),
            (Some(low), None) if self.raised < RAISES => {
                self.raised += 1;
                self.try_rate(low * RAISE);
            }
            (Some(low), None) => self.state = State::Confirm { rate: low },
            (Some(low), Some(high)) if high / low - 1.0 <= NEAR => {
                self.state = State::Confirm { rate: low };
            }
            (Some(low), Some(high)) => self.try_rate(low.midpoint(high)),
        }
    }

    /// What a longer run refuses did not pass; the search goes on below it.
    fn confirmed(&mut self, rate: f64, passed: bool) {
        if passed {
            self.state = State::Done { confirmed: true };
            return;
        }
        self.refused += 1;
        self.passed.retain(|lower| *lower < rate);
        self.failed = Some(rate);
        if self.refused < REFUSED {
            self.bisect();
        } else {
            self.state = State::Done { confirmed: false };
        }
    }

    /// The closed runs: users, what came.
    pub fn levels(&self) -> &[(u32, Trial)] {
        &self.levels
    }

    /// The open runs, in their order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Rate and mean p99 in ms of the runs that have one, ascending.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let mut rates: Vec<f64> = self.points.iter().map(|point| point.rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        let at = |rate: f64| {
            let these = self.points.iter().filter(|point| point.rate.total_cmp(&rate).is_eq());
            let times: Vec<f64> = these.filter_map(|point| point.trial.figures.p99_ms).collect();
            (!times.is_empty()).then(|| (rate, crate::judge::mean(&times)))
        };
        rates.into_iter().filter_map(at).collect()
    }

    /// The law of the closed runs; none of fewer than six levels.
    pub fn law(&self) -> Option<Fit> {
        let level = |(users, trial): &(u32, Trial)| Level {
            users: f64::from(*users),
            per_s: trial.figures.per_s,
            variance: trial.variance,
        };
        scaling::fit(&self.levels.iter().map(level).collect::<Vec<_>>())
    }

    /// What is known so far; whole at the end.
    pub fn found(&self) -> Found {
        let curve = self.curve();
        Found {
            passing: self.passed.last().copied(),
            confirmed: self.state == State::Done { confirmed: true },
            failing: self.failed,
            knee: knee::find(&curve, 1.0).map(|place| curve[place].0),
            scaling: self.law().map(|fit| fit.sentence()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Figures;

    /// A server with one queue: service times of 1 ms, drawn exponentially, and so many at once at
    /// most. Its p99 is `ln 100 ÷ (capacity − rate)`.
    const CAPACITY: f64 = 1_000.0;

    fn p99_ms(rate: f64) -> f64 {
        if rate < CAPACITY { 100.0_f64.ln() / (CAPACITY - rate) * 1e3 } else { 1e6 }
    }

    fn trial(per_s: f64, p99_ms: f64, passed: bool) -> Trial {
        Trial {
            figures: Figures { per_s, p99_ms: Some(p99_ms), ..Figures::default() },
            reasons: if passed { Vec::new() } else { vec!["too slow".into()] },
            ..Trial::default()
        }
    }

    /// Searches; `noise` may turn over a run's outcome: its number, the step, the outcome.
    fn search(limit_ms: f64, noise: impl Fn(usize, Step, bool) -> bool) -> (Search, Vec<Step>) {
        let (mut search, mut steps) = (Search::new(256), Vec::new());
        while let Some(step) = search.next_step() {
            assert!(steps.len() < 200, "no end: {steps:?}");
            steps.push(step);
            search.take(match step {
                Step::Users(users) => {
                    let users = f64::from(users);
                    let per_s = 1_000.0 * users / (1.0 + 0.3 * (users - 1.0) + 0.69);
                    let per_s = per_s.min(CAPACITY);
                    trial(per_s, users, true)
                }
                Step::Rate(rate) | Step::Confirm(rate) => {
                    let time = p99_ms(rate);
                    trial(rate, time, noise(steps.len(), step, time < limit_ms))
                }
            });
        }
        (search, steps)
    }

    #[test]
    fn the_rate_of_a_queue_is_found() {
        for limit_ms in [6.0, 20.0, 100.0] {
            let (search, steps) = search(limit_ms, |_, _, passed| passed);
            let right = CAPACITY - 100.0_f64.ln() / limit_ms * 1e3;
            let found = search.found();
            let (low, high) = (found.passing.unwrap(), found.failing.unwrap());
            assert!(low < right && right <= high && high / low <= 1.02, "{right}: {found:?}");
            assert!(found.confirmed && steps.last() == Some(&Step::Confirm(low)), "{steps:?}");
            assert!(steps.len() < 45, "{} steps", steps.len());
        }
    }

    #[test]
    fn one_run_of_three_may_be_wrong() {
        let right = CAPACITY - 100.0_f64.ln() / 20.0 * 1e3;
        let (search, _) = search(20.0, |number, step, passed| {
            let noisy = number.is_multiple_of(4) && matches!(step, Step::Rate(_));
            if noisy { !passed } else { passed }
        });
        let found = search.found();
        assert!(found.passing.unwrap() < right && right <= found.failing.unwrap(), "{found:?}");
    }

    #[test]
    fn a_refused_answer_is_looked_for_below() {
        let limit = |step, passed| match step {
            Step::Confirm(rate) => rate < 700.0,
            _ => passed,
        };
        let (search, steps) = search(20.0, |_, step, passed| limit(step, passed));
        let confirms = steps.iter().filter(|step| matches!(step, Step::Confirm(_))).count();
        let found = search.found();
        assert!(confirms == 3 && !found.confirmed && found.passing < found.failing, "{found:?}");
        let (search, _) = search_below(690.0);
        assert!(search.found().confirmed);
    }

    /// Longer runs pass at half of the short runs' rate and below.
    fn search_below(rate: f64) -> (Search, Vec<Step>) {
        search(20.0, |_, step, passed| match step {
            Step::Rate(tried) => tried < rate && passed,
            _ => passed,
        })
    }

    #[test]
    fn searches_without_an_answer_end() {
        let (nothing, _) = search(0.0, |_, _, passed| passed);
        assert_eq!((nothing.found().passing, nothing.found().confirmed), (None, false));
        let (all, steps) = search(0.0, |_, _, _| true);
        let found = all.found();
        assert!(found.failing.is_none() && found.confirmed, "{found:?}");
        assert!(found.passing.unwrap() > 2.0 * CAPACITY, "{steps:?}");
        let mut dead = Search::new(4);
        while dead.next_step().is_some() {
            dead.take(trial(0.0, 1.0, false));
        }
        assert_eq!(
            (dead.levels().len(), dead.points().len(), dead.found()),
            (1, 0, Found::default())
        );
    }

    #[test]
    fn users_double_until_they_bring_nothing() {
        let (search, _) = search(20.0, |_, _, passed| passed);
        let users: Vec<u32> = search.levels().iter().map(|(users, _)| *users).collect();
        assert_eq!(users, [1, 2, 4, 8, 16, 32]);
        assert!(search.found().scaling.is_some());
        // A limit that breaks early: the law still gets its six levels.
        let mut early = Search::new(256);
        while let Some(Step::Users(users)) = early.next_step() {
            early.take(trial(f64::from(users) * 10.0, 1.0, users < 8));
        }
        let users: Vec<u32> = early.levels().iter().map(|(users, _)| *users).collect();
        assert_eq!(users, [1, 2, 4, 8, 3, 6]);
    }

    #[test]
    fn the_curve_has_a_knee() {
        let (search, _) = search(20.0, |_, _, passed| passed);
        let curve = search.curve();
        assert!(curve.windows(2).all(|two| two[0].0 < two[1].0) && curve.len() >= 6, "{curve:?}");
        let knee = search.found().knee.unwrap();
        assert!((500.0..1_000.0).contains(&knee), "{knee} of {curve:?}");
    }
}
