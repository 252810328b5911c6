//! Sides that are measured alternately: A B, B A, A B …, or with three sides A B C, C B A …. Slow drift
//! of the machine affects all sides alike, and the runs of a round have similar conditions.

use serde::{Deserialize, Serialize};

use super::figures::{TrialFigures, VERDICT_FIGURES, VerdictFigure};
use crate::compare::Ending;
use crate::judge::{ChangeVerdict, Pairs, Row};

/// A trial to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledTrial {
    /// Its round, from 0; the first round that counts is the same as the round that warms up.
    pub round: u32,
    /// The side, from 0.
    pub side: usize,
    /// Whether the trial counts; each side's first trial only warms caches.
    pub counts: bool,
}

/// The schedule of a series and its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterleavedTrials {
    sides: usize,
    rounds: u32,
    /// The remaining warm-up trials.
    warm: usize,
    /// Figures by side and round.
    seen: Vec<Vec<TrialFigures>>,
}

impl InterleavedTrials {
    /// A series of this many sides and rounds. With `warm`, each side first has one trial that does not
    /// count.
    pub fn new(sides: usize, rounds: u32, warm: bool) -> Self {
        Self { sides, rounds, warm: if warm { sides } else { 0 }, seen: vec![Vec::new(); sides] }
    }

    /// The next trial; `None` at the end. It stays the same until [`InterleavedTrials::take`].
    pub fn next_trial(&self) -> Option<ScheduledTrial> {
        if self.warm > 0 {
            return Some(ScheduledTrial { round: 0, side: self.sides - self.warm, counts: false });
        }
        let done: usize = self.seen.iter().map(Vec::len).sum();
        let (round, place) = (done.checked_div(self.sides)?, done.checked_rem(self.sides)?);
        let side = if round.is_multiple_of(2) { place } else { self.sides - 1 - place };
        let round = u32::try_from(round).ok().filter(|round| *round < self.rounds)?;
        Some(ScheduledTrial { round, side, counts: true })
    }

    /// Records the figures of the trial.
    pub fn take(&mut self, figures: TrialFigures) {
        match self.next_trial() {
            Some(ScheduledTrial { counts: false, .. }) => self.warm -= 1,
            Some(ScheduledTrial { side, .. }) => self.seen[side].push(figures),
            None => {}
        }
    }

    /// The figures of a side, by round.
    pub fn of(&self, side: usize) -> &[TrialFigures] {
        self.seen.get(side).map_or(&[], Vec::as_slice)
    }

    /// The number of rounds that all sides have finished.
    pub fn complete(&self) -> u32 {
        let least = self.seen.iter().map(Vec::len).min().unwrap_or(0);
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    /// Compares a side with the first, before judgement, and lists how many pairs of each figure were
    /// skipped because a trial lacks it. Figures that no pair has are omitted.
    pub fn rows(&self, side: usize) -> (Vec<Row>, Vec<String>) {
        let (mut rows, mut left_out) = (Vec::new(), Vec::new());
        for VerdictFigure { name, unit, better, of, step } in VERDICT_FIGURES {
            let both = || self.of(0).iter().zip(self.of(side));
            let steps = both().map(|(base, new)| step([base, new]));
            let pairs = Pairs::of(both().map(|(base, new)| (of(base), of(new))));
            let pairs = pairs.measured_to(steps.fold(0.0, f64::max));
            if pairs.count() > 0 {
                rows.push(pairs.row(name, unit, better));
            }
            match pairs.left_out() {
                0 => {}
                1 => left_out.push(format!("{name}: 1 pair has no figure and is left out")),
                many => {
                    left_out.push(format!("{name}: {many} pairs have no figure and are left out"));
                }
            }
        }
        (rows, left_out)
    }
}

/// The worst verdict of judged rows, for exit codes.
pub fn ending<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Ending {
    let mut ending = Ending::Fine;
    for verdict in rows.into_iter().filter_map(|row| row.verdict) {
        match verdict {
            ChangeVerdict::Slower => return Ending::Slower,
            ChangeVerdict::CannotTell { .. } => ending = Ending::CannotTell,
            ChangeVerdict::Faster | ChangeVerdict::NoChange => {}
        }
    }
    ending
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Rules, judge};

    /// A series against servers with these transactions per second, on a machine with slow drift.
    fn run(sides: &[f64], rounds: u32) -> (InterleavedTrials, String) {
        let mut trials = InterleavedTrials::new(sides.len(), rounds, true);
        let (mut order, mut random) = (String::new(), fastrand::Rng::with_seed(7));
        let mut drift: f64 = 1.0;
        while let Some(trial) = trials.next_trial() {
            assert_eq!(trials.next_trial(), Some(trial), "next_trial does not advance");
            let name = char::from(b"abcd"[trial.side]);
            order.push(if trial.counts { name.to_ascii_uppercase() } else { name });
            drift *= 0.99 + 0.01 * random.f64();
            let per_s = sides[trial.side] * drift * (0.99 + 0.02 * random.f64());
            let time = 1e3 / per_s;
            trials.take(TrialFigures {
                per_s,
                p50_ms: time,
                p95_ms: time * 2.0,
                p99_ms: (trial.round != 1).then_some(time * 4.0),
                client_us: 10.0 + random.f64(),
                samples: 1_000,
                ..TrialFigures::default()
            });
        }
        (trials, order)
    }

    #[test]
    fn alternates_the_order_of_sides() {
        assert_eq!(run(&[1e3, 1e3], 3).1, "abABBAAB");
        assert_eq!(run(&[1e3, 1e3, 1e3], 2).1, "abcABCCBA");
        assert_eq!(InterleavedTrials::new(0, 3, true).next_trial(), None);
        assert_eq!(InterleavedTrials::new(2, 0, false).next_trial(), None);
    }

    #[test]
    fn detects_a_slower_side_despite_drift() {
        let (trials, _) = run(&[1_000.0, 900.0, 1_000.0], 12);
        assert_eq!(trials.complete(), 12);
        let (rows, left_out) = trials.rows(1);
        assert_eq!(left_out, ["p99: 1 pair has no figure and is left out"]);
        let judged = judge(rows, &Rules::default());
        assert_eq!((judged.len(), judged[0].verdict), (5, Some(ChangeVerdict::Slower)));
        assert_eq!(ending(&judged), Ending::Slower);
        let same = judge(trials.rows(2).0, &Rules::default());
        assert!(same.iter().all(|row| row.verdict != Some(ChangeVerdict::Slower)), "{same:?}");
    }

    /// A window of 330 ms holds three transactions of 100 ms and of 108 ms, two of 120 ms.
    #[test]
    fn short_trials_of_few_transactions_have_no_verdict() {
        for (counted, micros) in [(3, 108), (2, 120)] {
            let mut trials = InterleavedTrials::new(2, 3, false);
            while let Some(trial) = trials.next_trial() {
                let (counted, p50) = if trial.side == 0 { (3, 23.0) } else { (counted, 23.0) };
                let per_s = counted as f64 / 0.33;
                let figures =
                    TrialFigures { per_s, counted, p50_ms: p50 / 1e3, ..TrialFigures::default() };
                trials.take(TrialFigures { samples: 20, ..figures });
            }
            let judged = judge(trials.rows(1).0, &Rules::default());
            let unknown = Some(ChangeVerdict::CannotTell { more_pairs: None });
            // A median of 23 µs is known to a microsecond, 4 % of it.
            assert_eq!(
                [judged[0].verdict, judged[1].verdict],
                [unknown; 2],
                "{micros}: {judged:?}"
            );
            let true_ratio = 100.0 / f64::from(micros);
            let [low, high] = judged[0].interval.unwrap();
            assert!(low < true_ratio && true_ratio < high, "{judged:?}");
        }
    }

    #[test]
    fn sides_without_figures_have_no_rows() {
        let mut trials = InterleavedTrials::new(2, 1, false);
        trials.take(TrialFigures::default());
        trials.take(TrialFigures::default());
        let (rows, left_out) = trials.rows(1);
        assert_eq!((rows.len(), left_out.len()), (0, 5));
        assert_eq!(ending(&rows), Ending::Fine);
    }
}
