//! Searches the highest rate within the limits: closed runs with increasing users find the maximum
//! throughput, then open runs bisect between a passing and a failing rate. Two of three runs decide a
//! rate, and a longer run confirms the result. The rate then descends from an overload, because a
//! server that does not recover (backlog, bloat, throttling) fails rates that passed on the way up.
//!
//! A noisy trial ([`noise`](super::noise)) is discarded and repeated a few times; after that it counts
//! and is reported as doubtful.

mod steps;
mod summary;

use std::collections::VecDeque;

use super::TrialResult;
use crate::judge::scaling::FEWEST;
pub use steps::{DiscardedTrial, SearchPoint, SearchResult, SearchStep};

/// A level of users with a smaller relative gain of throughput counts as flat.
const GAIN: f64 = 0.05;
/// After this many consecutive flat levels, the closed runs end.
const FLAT: u32 = 2;
/// Rates that only extend the curve, as shares of the closed maximum.
const CURVE: [f64; 2] = [0.125, 0.25];
/// The initial bracket, as shares of the closed maximum: expected to pass and to fail.
const BRACKET: [f64; 2] = [0.5, 1.1];
/// The factor by which a passing upper end is raised, and how often at most.
const RAISE: f64 = 1.25;
const RAISES: u32 = 4;
/// The lowest searched rate, as a share of the closed maximum.
const LOWEST: f64 = 1.0 / 64.0;
/// The relative width of the bracket at which the bisection ends.
const NEAR: f64 = 0.02;
/// The number of results that the longer run may reject before the search ends.
const REFUSED: u32 = 3;
/// A rate this close below the result confirms it on the way down; closer rates differ only by noise.
const SAME: f64 = 0.95;
/// How often a trial is discarded and repeated …
const AGAIN: u32 = 2;
/// … and how often in each of the three phases: closed runs, ascending and descending rates.
const AGAIN_IN_PART: u32 = 6;

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Doubling users.
    Users {
        next: u32,
        flat: u32,
        best: f64,
    },
    /// Intermediate levels for the fit of the scalability law.
    Between(VecDeque<u32>),
    /// Rates that extend the curve.
    Curve(VecDeque<f64>),
    /// A rate and the results of its runs so far.
    Rate {
        rate: f64,
        passed: u32,
        failed: u32,
    },
    Confirm {
        rate: f64,
    },
    Overload,
    /// Descending rates, and the results of the first one's runs so far.
    Down {
        left: VecDeque<f64>,
        passed: u32,
        failed: u32,
    },
    Done,
}

/// The state of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    most_users: u32,
    state: State,
    levels: Vec<(u32, TrialResult)>,
    points: Vec<SearchPoint>,
    /// The rates that passed, ascending.
    passed: Vec<f64>,
    /// The lowest rate that failed.
    failed: Option<f64>,
    raised: u32,
    refused: u32,
    /// Whether a longer run passed.
    held: bool,
    /// The highest rate that passed on the way down.
    down: Option<f64>,
    discarded: Vec<DiscardedTrial>,
    /// How often the current step was repeated.
    again: u32,
    /// The remaining repetitions, by phase.
    again_in_part: [u32; 3],
}

impl Search {
    /// A search with at most this many users.
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
            held: false,
            down: None,
            discarded: Vec::new(),
            again: 0,
            again_in_part: [AGAIN_IN_PART; 3],
        }
    }

    /// The next step; `None` at the end. It stays the same until [`Search::take`].
    pub fn next_step(&self) -> Option<SearchStep> {
        match &self.state {
            State::Users { next, .. } => Some(SearchStep::Users(*next)),
            State::Between(left) => left.front().copied().map(SearchStep::Users),
            State::Curve(left) => left.front().copied().map(SearchStep::Rate),
            State::Rate { rate, .. } => Some(SearchStep::Rate(*rate)),
            State::Confirm { rate } => Some(SearchStep::Confirm(*rate)),
            State::Overload => Some(SearchStep::Overload(self.overload())),
            State::Down { left, .. } => left.front().copied().map(SearchStep::Down),
            State::Done => None,
        }
    }

    /// Records the result of the step and returns whether it counts; a noisy trial may be repeated.
    pub fn take(&mut self, trial: TrialResult) -> bool {
        let Some(step) = self.next_step() else { return true };
        let left = &mut self.again_in_part[step.part()];
        // An overload only prepares the descent; its result is not used.
        let matters = !matches!(step, SearchStep::Overload(_));
        if matters && !trial.doubts.is_empty() && self.again < AGAIN && *left > 0 {
            (self.again, *left) = (self.again + 1, *left - 1);
            let closed = matches!(step, SearchStep::Users(_));
            self.discarded.push(DiscardedTrial { load: step.load(), closed, trial });
            return false;
        }
        self.again = 0;
        self.count(trial);
        true
    }

    fn count(&mut self, trial: TrialResult) {
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
                    self.points.push(SearchPoint::up(rate, trial));
                }
                self.state = State::Curve(left);
                self.after_curve();
            }
            State::Rate { rate, passed: yes, failed: no } => {
                self.points.push(SearchPoint::up(rate, trial));
                let (yes, no) = if passed { (yes + 1, no) } else { (yes, no + 1) };
                match (yes, no) {
                    (2.., _) => self.decided(rate, true),
                    (_, 2..) => self.decided(rate, false),
                    _ => self.state = State::Rate { rate, passed: yes, failed: no },
                }
            }
            State::Confirm { rate } => {
                self.points.push(SearchPoint { long: true, ..SearchPoint::up(rate, trial) });
                self.confirmed(rate, passed);
            }
            State::Overload => {
                let rate = self.overload();
                self.points.push(SearchPoint {
                    down: true,
                    overload: true,
                    ..SearchPoint::up(rate, trial)
                });
                self.state = State::Down { left: self.way_down(), passed: 0, failed: 0 };
            }
            State::Down { left, passed: yes, failed: no } => self.downwards(left, yes, no, trial),
            State::Done => {}
        }
    }

    fn users(&mut self, users: u32, flat: u32, best: f64, trial: TrialResult) {
        let per_s = trial.figures.per_s;
        // Levels at which the load generator is the limit do not count.
        let broke = !trial.passed() || trial.client_was_the_limit;
        let flat = if per_s < best * (1.0 + GAIN) { flat + 1 } else { 0 };
        self.levels.push((users, trial));
        // The fit needs six levels.
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

    /// Intermediate levels, as many as the fit still needs.
    fn between(&self) -> VecDeque<u32> {
        let missing = FEWEST.saturating_sub(self.levels.len());
        let middle = |two: &[(u32, TrialResult)]| two[0].0.midpoint(two[1].0);
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
            false => State::Done,
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

    /// An earlier run at the rate, for the curve, counts as the first of its three runs.
    fn try_rate(&mut self, rate: f64) {
        let (passed, failed) = self.votes(rate);
        self.state = State::Rate { rate, passed, failed };
    }

    /// The number of passed and failed short runs at a rate on the way up.
    fn votes(&self, rate: f64) -> (u32, u32) {
        let these = self.points.iter().filter(|it| !it.long && !it.down);
        let these = these.filter(|it| it.rate.total_cmp(&rate).is_eq());
        these.fold((0, 0), |(yes, no), it| match it.trial.passed() {
            true => (yes + 1, no),
            false => (yes, no + 1),
        })
    }

    /// Ends the bisection: the highest passing rate, if any, is confirmed next. Returns whether there is
    /// one.
    pub fn hurry(&mut self) -> bool {
        let is_searching = matches!(self.state, State::Rate { .. });
        match self.passed.last().copied().filter(|_| is_searching) {
            Some(rate) => {
                self.state = State::Confirm { rate };
                self.again = 0;
                true
            }
            None => false,
        }
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
            (None, _) => self.state = State::Done,
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

    /// A rate that the longer run rejects counts as failed; the search continues below it.
    fn confirmed(&mut self, rate: f64, passed: bool) {
        if passed {
            self.held = true;
            self.state = State::Overload;
            return;
        }
        self.refused += 1;
        self.passed.retain(|lower| *lower < rate);
        self.failed = Some(rate);
        if self.refused < REFUSED {
            self.bisect();
        } else {
            self.state = State::Done;
        }
    }

    /// A rate above the server's capacity, or at least above the result.
    fn overload(&self) -> f64 {
        let answer = self.passed.last().copied().unwrap_or(0.0);
        (BRACKET[1] * self.most()).max(RAISE * answer)
    }

    /// The descending rates: the result, then the knee and the fixed rates below it.
    fn way_down(&self) -> VecDeque<f64> {
        let Some(answer) = self.passed.last().copied() else { return VecDeque::new() };
        let most = self.most();
        let mut below: Vec<f64> = [BRACKET[0], CURVE[1], CURVE[0]].map(|share| share * most).into();
        below.extend(self.knee());
        below.retain(|rate| *rate < SAME * answer);
        below.sort_by(|a, b| b.total_cmp(a));
        below.dedup();
        std::iter::once(answer).chain(below).collect()
    }

    /// Two of three runs decide the result and, if it fails, a rate slightly below it; lower rates run
    /// once.
    fn downwards(&mut self, mut left: VecDeque<f64>, yes: u32, no: u32, trial: TrialResult) {
        let Some(rate) = left.front().copied() else { return };
        let passed = trial.passed();
        self.points.push(SearchPoint { down: true, ..SearchPoint::up(rate, trial) });
        let (yes, no) = if passed { (yes + 1, no) } else { (yes, no + 1) };
        let answer = self.passed.last().copied().unwrap_or(rate);
        let by_two = self.down.is_none() && rate >= SAME * answer;
        if by_two && yes < 2 && no < 2 {
            self.state = State::Down { left, passed: yes, failed: no };
            return;
        }
        left.pop_front();
        if yes > no && self.down.is_none() {
            self.down = Some(rate);
        }
        if by_two && yes < no && rate >= answer {
            left.push_front(SAME * answer);
        }
        self.state = match left.is_empty() {
            true => State::Done,
            false => State::Down { left, passed: 0, failed: 0 },
        };
    }

    /// Whether the result, or a rate slightly below it, passed on the way down.
    fn holds_downwards(&self) -> bool {
        let answer = self.passed.last().copied();
        answer.zip(self.down).is_some_and(|(answer, down)| down >= SAME * answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::TrialFigures;

    /// A model of a server with one queue and exponential service times of 1 ms. Its p99 is
    /// `ln 100 ÷ (capacity − rate)`.
    const CAPACITY: f64 = 1_000.0;

    fn p99_ms(rate: f64) -> f64 {
        if rate < CAPACITY { 100.0_f64.ln() / (CAPACITY - rate) * 1e3 } else { 1e6 }
    }

    fn trial(per_s: f64, p99_ms: f64, passed: bool) -> TrialResult {
        TrialResult {
            figures: TrialFigures { per_s, p99_ms: Some(p99_ms), ..TrialFigures::default() },
            reasons: if passed { Vec::new() } else { vec!["too slow".into()] },
            ..TrialResult::default()
        }
    }

    /// Runs a search; `noise` may change a run's outcome, given its number, step and outcome.
    fn search(
        limit_ms: f64,
        mut noise: impl FnMut(usize, SearchStep, bool) -> bool,
    ) -> (Search, Vec<SearchStep>) {
        let (mut search, mut steps) = (Search::new(256), Vec::new());
        while let Some(step) = search.next_step() {
            assert!(steps.len() < 200, "no end: {steps:?}");
            steps.push(step);
            search.take(match step {
                SearchStep::Users(users) => {
                    let users = f64::from(users);
                    let per_s = 1_000.0 * users / (1.0 + 0.3 * (users - 1.0) + 0.69);
                    let per_s = per_s.min(CAPACITY);
                    trial(per_s, users, true)
                }
                SearchStep::Rate(rate)
                | SearchStep::Confirm(rate)
                | SearchStep::Overload(rate)
                | SearchStep::Down(rate) => {
                    let time = p99_ms(rate);
                    trial(rate, time, noise(steps.len(), step, time < limit_ms))
                }
            });
        }
        (search, steps)
    }

    #[test]
    fn finds_the_highest_rate_of_a_queue() {
        for limit_ms in [6.0, 20.0, 100.0] {
            let (search, steps) = search(limit_ms, |_, _, passed| passed);
            let right = CAPACITY - 100.0_f64.ln() / limit_ms * 1e3;
            let found = search.found();
            let (low, high) = (found.passing.unwrap(), found.failing.unwrap());
            assert!(low < right && right <= high && high / low <= 1.02, "{right}: {found:?}");
            assert!(found.confirmed && steps.contains(&SearchStep::Confirm(low)), "{steps:?}");
            assert!(steps.len() < 50, "{} steps", steps.len());
            let over =
                steps.iter().position(|step| matches!(step, SearchStep::Overload(_))).unwrap();
            let overload = (1.1 * CAPACITY).max(1.25 * low);
            assert_eq!(steps[over..][..2], [SearchStep::Overload(overload), SearchStep::Down(low)]);
            let down: Vec<f64> = steps[over + 1..].iter().map(|step| step.load()).collect();
            assert!(down.len() >= 3 && down.is_sorted_by(|a, b| a >= b), "{down:?}");
            assert_eq!(found.down, Some(low));
            assert!((found.p99_down_by_up.unwrap() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn does_not_confirm_a_rate_that_stays_slow_after_overload() {
        let (search, _) = search(20.0, |_, step, passed| match step {
            SearchStep::Down(rate) => rate < 600.0,
            _ => passed,
        });
        let found = search.found();
        assert!(found.held && !found.confirmed, "{found:?}");
        assert!((500.0..600.0).contains(&found.down.unwrap()), "{found:?}");
        // A rate slightly below the result suffices; closer rates differ only by noise.
        let answer = found.passing.unwrap();
        let (search, _) = self::search(20.0, |_, step, passed| match step {
            SearchStep::Down(rate) => rate < 0.97 * answer,
            _ => passed,
        });
        let found = search.found();
        assert!(found.confirmed && found.down < found.passing, "{found:?}");
    }

    #[test]
    fn repeats_noisy_trials() {
        let doubted = |mut trial: TrialResult| {
            trial.doubts = vec!["others used 0.9 processors".into()];
            trial
        };
        let mut search = Search::new(256);
        assert!(!search.take(doubted(trial(10.0, 1.0, true))));
        assert_eq!(search.next_step(), Some(SearchStep::Users(1)));
        assert!(search.take(trial(100.0, 1.0, true)));
        assert_eq!(search.next_step(), Some(SearchStep::Users(2)));
        assert_eq!((search.levels().len(), search.discarded()[0].load), (1, 1.0));
        // On a machine that is always noisy the search still ends and reports doubtful trials.
        let (mut search, mut trials) = (Search::new(256), 0);
        while let Some(step) = search.next_step() {
            let (load, time) = (step.load(), p99_ms(step.load()));
            let per_s = if step.part() == 0 { (load * 100.0).min(CAPACITY) } else { load };
            search.take(doubted(trial(per_s, time, step.part() == 0 || time < 20.0)));
            trials += 1;
        }
        let found = search.found();
        assert!(found.confirmed && found.discarded == 18, "{found:?}");
        // The overload is not counted.
        assert!(found.doubtful + found.discarded == trials - 1 && trials < 70, "{trials}");
    }

    #[test]
    fn stops_adding_users_if_the_client_is_the_limit() {
        let mut search = Search::new(256);
        while let Some(SearchStep::Users(users)) = search.next_step() {
            let client_was_the_limit = users >= 4;
            let trial = trial(f64::from(users) * 10.0, 1.0, true);
            search.take(TrialResult { client_was_the_limit, ..trial });
        }
        let users: Vec<u32> = search.levels().iter().map(|(users, _)| *users).collect();
        assert_eq!(users, [1, 2, 4, 3]);
    }

    proptest::proptest! {
        /// The search ends for all outcomes, within a bounded number of steps.
        #[test]
        fn every_search_ends(seed in 0_u64..1_000_000) {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut search, mut trials) = (Search::new(256), 0);
            while search.next_step().is_some() {
                let mut trial = trial(random.f64() * 1e3, random.f64(), random.bool());
                trial.doubts = if random.bool() { vec!["doubt".into()] } else { Vec::new() };
                search.take(trial);
                trials += 1;
                proptest::prop_assert!(trials < 150, "{:?}", search.points());
            }
        }
    }

    #[test]
    fn one_of_three_runs_may_fail_by_chance() {
        let right = CAPACITY - 100.0_f64.ln() / 20.0 * 1e3;
        let (search, _) = search(20.0, |number, step, passed| {
            let noisy = number.is_multiple_of(4) && matches!(step, SearchStep::Rate(_));
            if noisy { !passed } else { passed }
        });
        let found = search.found();
        assert!(found.passing.unwrap() < right && right <= found.failing.unwrap(), "{found:?}");
    }

    #[test]
    fn searches_below_a_rejected_rate() {
        let limit = |step, passed| match step {
            SearchStep::Confirm(rate) => rate < 700.0,
            _ => passed,
        };
        let (search, steps) = search(20.0, |_, step, passed| limit(step, passed));
        let confirms = steps.iter().filter(|step| matches!(step, SearchStep::Confirm(_))).count();
        let found = search.found();
        assert!(confirms == 3 && !found.confirmed && found.passing < found.failing, "{found:?}");
        let (search, _) = search_below(690.0);
        assert!(search.found().confirmed);
    }

    /// Longer runs pass only up to half of the rate of short runs.
    fn search_below(rate: f64) -> (Search, Vec<SearchStep>) {
        search(20.0, |_, step, passed| match step {
            SearchStep::Rate(tried) => tried < rate && passed,
            _ => passed,
        })
    }

    /// If all trials up to a quarter of the throughput pass, the search finds a rate.
    #[test]
    fn passing_curve_runs_count() {
        let below = |_, step: SearchStep, passed| passed && step.load() < 0.4 * CAPACITY;
        let (search, steps) = search(20.0, below);
        let found = search.found();
        let quarter = 0.25 * search.most();
        let at_quarter = steps.iter().filter(|step| **step == SearchStep::Rate(quarter)).count();
        assert_eq!(at_quarter, 2, "one for the curve, one more decides");
        assert!(found.passing >= Some(quarter), "{found:?}");
    }

    #[test]
    fn reports_passing_trials_if_no_rate_was_decided() {
        // Every second run passes, so no rate gets two of three before it fails twice.
        let mut at_rate = std::collections::BTreeMap::new();
        let (search, _) = search(1e9, |_, step, _| match step {
            SearchStep::Users(_) => true,
            step => {
                let times = at_rate.entry(step.load().to_bits()).or_insert(0);
                *times += 1;
                *times == 2
            }
        });
        let found = search.found();
        assert_eq!((found.passing, found.confirmed), (None, false), "{found:?}");
        assert!(found.best_trial.is_some(), "{found:?}");
    }

    #[test]
    fn reports_a_higher_passing_rate_as_contradiction() {
        // An eighth of the throughput fails, and all higher rates pass.
        let (search, _) = search(20.0, |_, step, passed| match step {
            SearchStep::Rate(rate) if rate < 0.2 * CAPACITY => false,
            _ => passed,
        });
        let found = search.found();
        let (failed, passed) = found.contradiction.unwrap();
        assert!(failed < 0.2 * CAPACITY && passed > failed, "{found:?}");
        let (search, _) = self::search(20.0, |_, _, passed| passed);
        assert_eq!(search.found().contradiction, None);
    }

    #[test]
    fn a_shortened_search_confirms_its_best_rate() {
        let mut search = Search::new(256);
        assert!(!search.hurry());
        let mut confirmed = false;
        while let Some(step) = search.next_step() {
            let is_rate = matches!(step, SearchStep::Rate(_));
            if is_rate && search.found().passing.is_some() && !confirmed {
                assert!(search.hurry());
                confirmed = true;
                let best = search.found().passing.unwrap();
                assert_eq!(search.next_step(), Some(SearchStep::Confirm(best)));
                continue;
            }
            let users = matches!(step, SearchStep::Users(_));
            let per_s = if users { (step.load() * 100.0).min(CAPACITY) } else { step.load() };
            search.take(trial(per_s, 1.0, users || step.load() < 0.9 * CAPACITY));
        }
        assert!(confirmed && search.found().confirmed, "{:?}", search.found());
    }

    #[test]
    fn searches_without_a_result_end() {
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
            (1, 0, SearchResult { finished: true, ..SearchResult::default() })
        );
    }

    #[test]
    fn doubles_users_until_throughput_is_flat() {
        let (search, _) = search(20.0, |_, _, passed| passed);
        let users: Vec<u32> = search.levels().iter().map(|(users, _)| *users).collect();
        assert_eq!(users, [1, 2, 4, 8, 16, 32]);
        assert!(search.found().scaling.is_some());
        // If a limit fails early, the fit still gets its six levels.
        let mut early = Search::new(256);
        while let Some(SearchStep::Users(users)) = early.next_step() {
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
