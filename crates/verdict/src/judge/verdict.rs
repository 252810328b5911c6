//! Verdicts with defined meanings.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::student;

/// The default of the share of transactions that may fail: `--errors`.
pub const MOST_FAILED: f64 = 0.01;

/// The rules for verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Changes up to this share of the base are ignored.
    pub threshold: f64,
    /// The confidence level of intervals.
    pub confidence: f64,
    /// Between single runs: differences up to this share may be caused by the machine.
    ///
    /// With a slow drift of 5 % and a noise of 2 % per run (the model in the tests of pairs), 95 % of
    /// the differences between identical runs stay below 15 %: `1.96 · √2 · √(0.05² + 0.02²)`. Use a
    /// higher value on shared machines, where 35 % and more were observed.
    pub drift: f64,
    /// The share of a run's transactions that may fail; beyond it, the run gets no verdict.
    #[serde(default = "most_failed")]
    pub most_failed: f64,
}

fn most_failed() -> f64 {
    MOST_FAILED
}

impl Default for Rules {
    fn default() -> Self {
        Self { threshold: 0.03, confidence: 0.95, drift: 0.15, most_failed: MOST_FAILED }
    }
}

/// The direction of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Throughput.
    Higher,
    /// Latency, cost.
    Lower,
}

/// The verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "word")]
pub enum ChangeVerdict {
    /// The interval excludes "no change", and the improvement exceeds the threshold.
    Faster,
    /// The interval excludes "no change", and the degradation exceeds the threshold.
    Slower,
    /// The entire interval is within the threshold.
    NoChange,
    /// Anything else.
    CannotTell {
        /// The estimated number of further pairs to reach a verdict; absent if no number would suffice.
        more_pairs: Option<u32>,
    },
}

impl fmt::Display for ChangeVerdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Faster => out.write_str("faster"),
            Self::Slower => out.write_str("slower"),
            Self::NoChange => out.write_str("no change"),
            Self::CannotTell { more_pairs: None } => out.write_str("cannot tell"),
            Self::CannotTell { more_pairs: Some(1) } => {
                out.write_str("cannot tell, needs about 1 more pair")
            }
            Self::CannotTell { more_pairs: Some(more) } => {
                write!(out, "cannot tell, needs about {more} more pairs")
            }
        }
    }
}

/// A change: the logarithm of the ratio of new to base, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The logarithm of the ratio.
    pub log_ratio: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
    /// The allowance for the machine's drift, as a logarithm; 0 for interleaved pairs.
    pub drift: f64,
    /// The smallest change that the two figures can show, as a logarithm. Equal figures of coarse
    /// measurements have no deviation, which does not make them certain.
    pub step: f64,
    /// The number of pairs; absent between single runs.
    pub pairs: Option<u32>,
}

impl Change {
    /// Half the width of the interval, as a logarithm, at significance level `alpha`.
    fn half(&self, alpha: f64) -> f64 {
        let spread = if self.error > 0.0 || self.freedom <= 0.0 { self.t_half(alpha) } else { 0.0 };
        spread.max(self.step) + self.drift
    }

    fn t_half(&self, alpha: f64) -> f64 {
        let t = student::quantile(1.0 - alpha / 2.0, self.freedom);
        if t.is_infinite() { f64::INFINITY } else { t * self.error }
    }

    /// The same, of figures that show no smaller change than `step`, a logarithm.
    pub fn measured_to(self, step: f64) -> Self {
        Self { step, ..self }
    }

    /// The ratio and its interval, including drift.
    pub fn interval(&self, confidence: f64) -> [f64; 2] {
        let half = self.half(1.0 - confidence);
        [(self.log_ratio - half).exp(), (self.log_ratio + half).exp()]
    }

    /// The p-value under the hypothesis that there is only drift.
    pub fn p(&self) -> f64 {
        let beyond = self.log_ratio.abs() - self.drift;
        if beyond <= self.step || self.freedom <= 0.0 {
            return 1.0;
        }
        if self.error <= 0.0 {
            return 0.0;
        }
        student::two_sided(beyond / self.error, self.freedom)
    }

    /// The verdict at significance level `alpha`.
    pub fn verdict(&self, better: Better, threshold: f64, alpha: f64) -> ChangeVerdict {
        let half = self.half(alpha);
        let (low, high) = ((self.log_ratio - half).exp(), (self.log_ratio + half).exp());
        let ratio = self.log_ratio.exp();
        if (low > 1.0 || high < 1.0) && (ratio - 1.0).abs() > threshold {
            let up = ratio > 1.0;
            let good = up == (better == Better::Higher);
            return if good { ChangeVerdict::Faster } else { ChangeVerdict::Slower };
        }
        if low >= 1.0 - threshold && high <= 1.0 + threshold {
            return ChangeVerdict::NoChange;
        }
        ChangeVerdict::CannotTell { more_pairs: self.more_pairs(threshold, alpha) }
    }

    /// The number of further pairs to reach a verdict, if ratio and variance stay the same. Single runs
    /// have no variance between runs; for them the model of [`Rules::drift`] is used: ten pairs detect
    /// 5 %, twenty 3 %.
    fn more_pairs(&self, threshold: f64, alpha: f64) -> Option<u32> {
        let Some(pairs) = self.pairs else {
            return Some(if self.log_ratio.abs() > 0.05 { 10 } else { 20 });
        };
        if pairs < 2 {
            return Some(10 - pairs);
        }
        let spread = self.error * f64::from(pairs).sqrt();
        let change = self.log_ratio.exp() - 1.0;
        let needed = if change.abs() > threshold {
            self.log_ratio.abs()
        } else if change > 0.0 {
            threshold.ln_1p() - self.log_ratio
        } else {
            self.log_ratio - (-threshold).ln_1p()
        };
        let enough = |total: u32| {
            let t = student::quantile(1.0 - alpha / 2.0, f64::from(total - 1));
            (t * spread / f64::from(total).sqrt()).max(self.step) < needed
        };
        let mut high = pairs + 1;
        while !enough(high) {
            if high >= MOST_PAIRS {
                return None;
            }
            high = (high * 2).min(MOST_PAIRS);
        }
        let mut low = pairs;
        while high - low > 1 {
            let middle = low.midpoint(high);
            if enough(middle) { high = middle } else { low = middle }
        }
        Some(high - pairs)
    }
}

/// The practical maximum of pairs; a change that would need more is at the threshold.
const MOST_PAIRS: u32 = 10_000;

/// A figure of two sides with the verdict on its change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the figure: `p95`, `New order · mean`.
    pub name: String,
    /// Its unit, for display.
    pub unit: String,
    /// The direction of improvement.
    pub better: Better,
    /// The base's figure.
    pub base: f64,
    /// The other side's figure.
    pub new: f64,
    /// New ÷ base; for pairs the geometric mean of the ratios. Absent if a side is not positive.
    pub ratio: Option<f64>,
    /// The interval of the ratio; absent if the variance is unknown.
    pub interval: Option<[f64; 2]>,
    /// The p-value after Holm's correction.
    pub p: Option<f64>,
    /// The verdict; absent if the variance is unknown or the sides are not comparable.
    pub verdict: Option<ChangeVerdict>,
    /// The number of pairs; absent between single runs.
    pub pairs: Option<u32>,
    #[serde(skip)]
    change: Option<Change>,
}

impl Row {
    /// A figure with unknown variance: shown, never judged.
    pub fn shown(name: &str, unit: &str, better: Better, base: f64, new: f64) -> Self {
        let ratio = (base > 0.0 && new > 0.0).then(|| new / base);
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            better,
            base,
            new,
            ratio,
            interval: None,
            p: None,
            verdict: None,
            pairs: None,
            change: None,
        }
    }

    /// A figure with a change that [`judge`] evaluates.
    pub fn changed(self, change: Change) -> Self {
        let ratio = Some(change.log_ratio.exp());
        Self { ratio, pairs: change.pairs, change: Some(change), ..self }
    }
}

/// Judges rows with Holm's correction (1979) for multiple tests: the smallest p is compared with
/// `alpha ÷ rows`, the next with `alpha ÷ (rows − 1)` and so on, until one fails; that row and all
/// later ones are not significant. Intervals are shown uncorrected.
pub fn judge(mut rows: Vec<Row>, rules: &Rules) -> Vec<Row> {
    let alpha = 1.0 - rules.confidence;
    let mut order: Vec<(usize, Change)> =
        rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.change?))).collect();
    order.sort_by(|(_, a), (_, b)| a.p().total_cmp(&b.p()));
    let mut corrected: f64 = 0.0;
    for (rank, (at, change)) in order.iter().enumerate() {
        let left = (order.len() - rank) as f64;
        corrected = corrected.max(change.p() * left).min(1.0);
        let row = &mut rows[*at];
        row.p = Some(corrected);
        row.interval = Some(change.interval(rules.confidence));
        let alone = change.verdict(row.better, rules.threshold, alpha);
        let changed = matches!(alone, ChangeVerdict::Faster | ChangeVerdict::Slower);
        row.verdict = Some(if changed && corrected > alpha {
            ChangeVerdict::CannotTell {
                more_pairs: change.more_pairs(rules.threshold, alpha / left),
            }
        } else {
            alone
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(percent: f64, error: f64) -> Change {
        let log_ratio = (percent / 100.0).ln_1p();
        Change { log_ratio, error, freedom: 9.0, drift: 0.0, step: 0.0, pairs: Some(10) }
    }

    fn verdict(percent: f64, error: f64) -> ChangeVerdict {
        change(percent, error).verdict(Better::Higher, 0.03, 0.05)
    }

    #[test]
    fn verdicts_follow_interval_and_threshold() {
        assert_eq!(verdict(6.0, 0.01), ChangeVerdict::Faster);
        assert_eq!(verdict(-6.0, 0.01), ChangeVerdict::Slower);
        assert_eq!(change(6.0, 0.01).verdict(Better::Lower, 0.03, 0.05), ChangeVerdict::Slower);
        assert_eq!(verdict(0.5, 0.005), ChangeVerdict::NoChange);
        // The interval excludes 1, and the change is below the threshold, but the interval exceeds it.
        assert!(matches!(verdict(2.5, 0.01), ChangeVerdict::CannotTell { .. }));
        // The change exceeds the threshold, but the interval contains 1.
        assert!(matches!(verdict(6.0, 0.05), ChangeVerdict::CannotTell { .. }));
        // A certain change within the threshold counts as no change.
        assert_eq!(verdict(1.0, 0.000_1), ChangeVerdict::NoChange);
    }

    #[test]
    fn estimates_further_pairs() {
        let ChangeVerdict::CannotTell { more_pairs: Some(more) } = verdict(6.0, 0.05) else {
            panic!("the verdict must be inconclusive");
        };
        // The spread of one pair is 0.05 · √10 = 0.158; n must make t · 0.158 / √n < 0.0583.
        assert!((20..=24).contains(&more), "{more}");
        let on_the_threshold = change(2.999, 0.02).verdict(Better::Higher, 0.03, 0.05);
        assert_eq!(on_the_threshold, ChangeVerdict::CannotTell { more_pairs: None });
        let text = ChangeVerdict::CannotTell { more_pairs: Some(1) }.to_string();
        assert_eq!(text, "cannot tell, needs about 1 more pair");
    }

    #[test]
    fn equal_figures_of_coarse_measurements_are_not_certain() {
        // Three transactions in each trial of both sides: one more or less is a third.
        let equal = change(0.0, 0.0).measured_to(0.3);
        let verdict = |it: Change| it.verdict(Better::Higher, 0.03, 0.05);
        assert_eq!(verdict(equal), ChangeVerdict::CannotTell { more_pairs: None });
        let [low, high] = equal.interval(0.95);
        assert!((low - (-0.3_f64).exp()).abs() < 1e-9 && (high - 0.3_f64.exp()).abs() < 1e-9);
        let one_less = change(-25.0, 0.0).measured_to(0.3);
        assert_eq!(
            (verdict(one_less), one_less.p()),
            (ChangeVerdict::CannotTell { more_pairs: None }, 1.0)
        );
        assert_eq!(verdict(change(-50.0, 0.0).measured_to(0.3)), ChangeVerdict::Slower);
        // Noise that is larger than the step contains it.
        let noisy = change(6.0, 0.01);
        assert_eq!(noisy.measured_to(0.02).interval(0.95), noisy.interval(0.95));
    }

    #[test]
    fn one_pair_has_no_verdict() {
        let one = Change { freedom: 0.0, error: 0.0, pairs: Some(1), ..change(50.0, 0.0) };
        assert_eq!(
            one.verdict(Better::Higher, 0.03, 0.05),
            ChangeVerdict::CannotTell { more_pairs: Some(9) }
        );
        assert_eq!((one.p(), one.interval(0.95)), (1.0, [0.0, f64::INFINITY]));
    }

    #[test]
    fn corrects_for_many_rows() {
        let row = |percent, error| {
            Row::shown("x", "", Better::Higher, 1.0, 1.0).changed(change(percent, error))
        };
        let weak = row(5.0, 0.019);
        let alone = judge(vec![weak.clone()], &Rules::default());
        assert_eq!(alone[0].verdict, Some(ChangeVerdict::Faster));
        let mut many = vec![weak; 10];
        many.push(row(50.0, 0.01));
        let judged = judge(many, &Rules::default());
        assert_eq!(
            judged[10].verdict,
            Some(ChangeVerdict::Faster),
            "strong changes stay significant"
        );
        assert!(matches!(
            judged[0].verdict,
            Some(ChangeVerdict::CannotTell { more_pairs: Some(_) })
        ));
        assert!(judged[0].p > Some(0.05) && judged[10].p < Some(0.05));
    }
}
