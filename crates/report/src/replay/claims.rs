//! Judges claims and remarks: ratios of variants measured in the same rounds, by Student's t over
//! the logarithms of the rounds' ratios.

use duet_verdict::judge::{Change, Pairs};
use duet_verdict::text;
use duet_verdict::text::counted;

use super::definition::{
    self, Above, Compare, Definition, Enough, Factor, Linear, Margins, OurFigures, Ratio, Ratios,
    Reaches, Test,
};
use super::figures::{self, Row};
use super::labels::{base, named};
use super::measured::{ReplayMeasurement, Series};
use super::page::{Claim, Remark, Verdict};
use super::template;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The largest half-width of an interval, in percent; wider ones decide nothing.
const WIDEST: f64 = 1_000.0;
const UNMEASURED: &str = "It was not measured.";

/// Judges the claims of a report.
pub(super) struct Judge<'a> {
    definition: &'a Definition,
    series: Vec<&'a Series>,
    reads: u64,
}

/// A ratio's name and the two variants' figures by round.
struct NamedPairs {
    name: String,
    pairs: Pairs,
}

/// A value by round, as ratios to a base or to 1, with its least and its greatest value.
struct Limited {
    name: String,
    pairs: Pairs,
    limits: [f64; 2],
}

impl<'a> Judge<'a> {
    pub(super) fn new(definition: &'a Definition, measured: &'a ReplayMeasurement) -> Self {
        let is_there = |series: &&Series| series.variant.missing.is_none();
        let series = measured.series.iter().filter(is_there).collect();
        Self { definition, series, reads: measured.reads }
    }

    /// The judged claim; `None` if it is about variants that no run was planned of.
    pub(super) fn claim(&self, claim: &definition::Claim, published: &[Row]) -> Option<Claim> {
        let (verdict, why) = match &claim.test {
            Test::Unmeasured(why) => (Verdict::CannotTell, why.clone()),
            Test::Above(above) => self.above(above)?,
            Test::Greatest(ratios) => self.beyond_all(ratios, 1.0)?,
            Test::Least(ratios) => self.beyond_all(ratios, -1.0)?,
            Test::Reaches(reaches) => self.reaches(reaches)?,
            Test::Factor(factor) => self.factor(factor)?,
            Test::Linear(linear) => self.linear(linear)?,
        };
        let text = filled(&claim.text, claim.there.as_ref(), published).ok()?;
        Some(Claim { text, verdict, why })
    }

    /// The remark with our figures; `None` if it is about variants that no run was planned of.
    pub(super) fn remark(&self, remark: &definition::Remark, published: &[Row]) -> Option<Remark> {
        let here = match &remark.test {
            OurFigures::Text(text) => text.clone(),
            OurFigures::Ratio(ratio) => self.ratio(ratio)?,
            OurFigures::Ratios(ratios) => self.ratios(ratios),
            OurFigures::Margins(margins) => self.margins(margins),
        };
        let text = filled(&remark.text, remark.there.as_ref(), published).ok()?;
        Some(Remark { text, here })
    }

    /// Whether the whole interval is above the threshold, or all of it below.
    fn above(&self, it: &Above) -> Option<(Verdict, String)> {
        let (of, to) = it.ratio.pairs(&self.series).into_iter().next()?;
        let change = match self.change(of, to) {
            Ok(change) => change,
            Err((verdict, why)) => return Some((verdict, why)),
        };
        let [low, high] = percents(&change, 1);
        let verdict = match () {
            () if low > it.percent => Verdict::Holds,
            () if high < it.percent => Verdict::DoesNotHold,
            () => Verdict::CannotTell,
        };
        Some((verdict, format!("{}.", found(&change))))
    }

    /// Whether each variant is beyond all others that it is compared with: above them (`sign` 1) or
    /// below (-1). The intervals are simultaneous: the claim holds if all are on that side, and
    /// fails if one is on the other.
    fn beyond_all(&self, it: &Ratios, sign: f64) -> Option<(Verdict, String)> {
        let pairs = it.ratio.all_pairs(&self.series);
        let series: Vec<&Series> = pairs.iter().flat_map(|(of, to)| [*of, *to]).collect();
        if series.is_empty() {
            return None;
        }
        if let Some(missing) = self.missing(&series) {
            return Some((Verdict::TooShort, format!("{missing}.")));
        }
        let mut words = Vec::new();
        let (mut is_all, mut is_none) = (true, false);
        for (of, to) in &pairs {
            let Some(change) = self.pairs(of, to).change() else {
                return Some((Verdict::CannotTell, UNMEASURED.to_owned()));
            };
            let interval = percents(&change, pairs.len()).map(|percent| percent * sign);
            is_all &= interval.iter().all(|percent| *percent > 0.0);
            is_none |= interval.iter().all(|percent| *percent < 0.0);
            let name = named(&it.name, &to.variant.labels);
            words.push(format!("beside {name} {}", brief(&change, pairs.len())));
        }
        let verdict = match (is_all, is_none) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::DoesNotHold,
            (false, false) => Verdict::CannotTell,
        };
        Some((verdict, format!("{}.", words.join("; "))))
    }

    /// Whether a figure of each variant is within the limits.
    fn reaches(&self, it: &Reaches) -> Option<(Verdict, String)> {
        let is_of = |series: &&&Series| it.of.has(&series.variant.labels);
        let series: Vec<&Series> = self.series.iter().filter(is_of).copied().collect();
        let limits = [it.least.unwrap_or(0.0), it.most.unwrap_or(f64::INFINITY)];
        let limited = series.iter().map(|series| {
            let values = figures::by_round(series.results(), &it.figure);
            let pairs = Pairs::of(values.into_iter().map(|value| (1.0, value)));
            Limited { name: named(&it.name, &series.variant.labels), pairs, limits }
        });
        self.limited(&series, &limited.collect::<Vec<_>>(), &it.unit)
    }

    /// Whether each ratio of a figure is this factor at least.
    fn factor(&self, it: &Factor) -> Option<(Verdict, String)> {
        self.factors(&it.ratio, &it.figure, &it.name, |_| Some(it.least))
    }

    /// Whether each ratio of a figure is a share of the variant's number at least.
    fn linear(&self, it: &Linear) -> Option<(Verdict, String)> {
        let least =
            |series: &Series| Some(it.share * series.variant.label(&it.label).parse::<f64>().ok()?);
        self.factors(&it.ratio, &it.figure, &it.name, least)
    }

    /// Whether the ratio of a figure of each variant to its base is at least what `least` gives.
    fn factors(
        &self,
        ratio: &Ratio,
        figure: &str,
        name: &str,
        least: impl Fn(&Series) -> Option<f64>,
    ) -> Option<(Verdict, String)> {
        let pairs = ratio.pairs(&self.series);
        let limited = pairs.iter().filter_map(|(of, to)| {
            let [of_values, to_values] =
                [of, to].map(|series| figures::by_round(series.results(), figure));
            let pairs = Pairs::of(to_values.into_iter().zip(of_values));
            let name = named(name, &of.variant.labels);
            Some(Limited { name, pairs, limits: [least(of)?, f64::INFINITY] })
        });
        let series: Vec<&Series> = pairs.iter().flat_map(|(of, to)| [*of, *to]).collect();
        self.limited(&series, &limited.collect::<Vec<_>>(), " ×")
    }

    /// Whether all values are within their limits. The intervals are simultaneous: the claim holds if
    /// each is inside, and fails if one is outside. `None` without variants.
    fn limited(
        &self,
        series: &[&Series],
        all: &[Limited],
        unit: &str,
    ) -> Option<(Verdict, String)> {
        if series.is_empty() {
            return None;
        }
        if let Some(missing) = self.missing(series) {
            return Some((Verdict::TooShort, format!("{missing}.")));
        }
        let mut words = Vec::new();
        let (mut is_all, mut is_none, mut rounds) = (true, false, 0);
        for Limited { name, pairs, limits: [least, most] } in all {
            let Some(change) = pairs.change() else {
                return Some((Verdict::CannotTell, UNMEASURED.to_owned()));
            };
            let [low, high] = interval(&change, all.len());
            is_all &= low >= *least && high <= *most;
            is_none |= high < *least || low > *most;
            rounds = change.pairs.unwrap_or(0);
            let value = text::figure(change.log_ratio.exp());
            let (low, high) = (text::figure(low), text::figure(high));
            words.push(format!("{name} {value}{unit} ({low} to {high})"));
        }
        let verdict = match (is_all, is_none) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::DoesNotHold,
            (false, false) => Verdict::CannotTell,
        };
        let rounds = counted(rounds.into(), "round");
        Some((verdict, format!("{} (95 %, {rounds}).", words.join("; "))))
    }

    fn ratio(&self, it: &Ratio) -> Option<String> {
        let (of, to) = it.pairs(&self.series).into_iter().next()?;
        Some(match self.change(of, to) {
            Ok(change) => format!("{}.", found(&change)),
            Err((Verdict::TooShort, why)) => format!("**{}**: {why}", Verdict::TooShort.words()),
            Err((_, why)) => why,
        })
    }

    /// The change from one variant to another, or the reason that forbids a judgement.
    fn change(&self, of: &Series, to: &Series) -> Result<Change, (Verdict, String)> {
        if let Some(missing) = self.missing(&[of, to]) {
            return Err((Verdict::TooShort, format!("{missing}.")));
        }
        let change = self.pairs(of, to).change();
        change.ok_or_else(|| (Verdict::CannotTell, UNMEASURED.to_owned()))
    }

    fn ratios(&self, it: &Ratios) -> String {
        let pairs = it.ratio.pairs(&self.series);
        let all = pairs.iter().map(|(of, to)| NamedPairs {
            name: named(&it.name, &of.variant.labels),
            pairs: self.pairs(of, to),
        });
        self.listed(&all.collect::<Vec<_>>())
    }

    /// Compares, by round, each variant's change with the largest change of the others.
    fn margins(&self, it: &Margins) -> String {
        let mut all = Vec::new();
        for (of, to) in it.ratio.pairs(&self.series) {
            let is_other = |other: &&&Series| {
                it.beyond.has(&other.variant.labels)
                    && base(**other, &it.ratio.to, &it.beyond_same, &[to]).is_some()
            };
            let others: Vec<&Series> = self.series.iter().filter(is_other).copied().collect();
            let [of, base] = [of, to].map(|series| self.values(series));
            let others: Vec<Vec<f64>> = others.into_iter().map(|it| self.values(it)).collect();
            let margin = |(round, (of, base)): (usize, (&f64, &f64))| {
                let far = |values: &Vec<f64>| values.get(round).map(|it| (it / base).ln().abs());
                let most = others.iter().filter_map(far).fold(0.0, f64::max);
                (1.0, ((of / base).ln().abs() - most).exp())
            };
            let pairs = Pairs::of(of.iter().zip(&base).enumerate().map(margin));
            all.push(NamedPairs { name: named(&it.name, &to.variant.labels), pairs });
        }
        self.listed(&all)
    }

    /// Our figures with simultaneous intervals, or what is missing of a variant.
    fn listed(&self, all: &[NamedPairs]) -> String {
        let changes = all.iter().filter_map(|it| Some((&it.name, it.pairs.change()?)));
        let words: Vec<String> =
            changes.map(|(name, change)| format!("{name} {}", brief(&change, all.len()))).collect();
        let is_measured = |series: &&Series| series.is_measured();
        let measured: Vec<&Series> = self.series.iter().copied().filter(is_measured).collect();
        match (words.is_empty(), self.missing(&measured)) {
            (true, _) => UNMEASURED.to_owned(),
            (false, Some(missing)) => format!("**{}**: {missing}.", Verdict::TooShort.words()),
            (false, None) => format!("{}.", words.join("; ")),
        }
    }

    fn pairs(&self, of: &Series, to: &Series) -> Pairs {
        Pairs::of(self.values(to).into_iter().zip(self.values(of)))
    }

    /// The compared figure of each round.
    fn values(&self, series: &Series) -> Vec<f64> {
        let results = || series.results().iter();
        match self.definition.compare {
            Compare::PerS => results().map(|it| it.totals.ended_per_s).collect(),
            Compare::Tps => results().map(|it| it.totals.tps).collect(),
            Compare::Seconds => series.seconds().to_vec(),
        }
    }

    /// What these variants lack for a judgement: reads, rounds or seconds; empty if they suffice.
    fn missing(&self, series: &[&Series]) -> Option<String> {
        if let Some(needed) = self.definition.published.reads.filter(|it| self.reads < *it) {
            return Some(format!("runs of {} reads; {needed} are needed", self.reads));
        }
        let rounds = series.iter().map(|series| self.values(series).len()).min().unwrap_or(0);
        let seconds = series.iter().map(|series| series.measured_s());
        let shortest = seconds.min_by(f64::total_cmp).unwrap_or(0.0);
        missing(&self.definition.enough, rounds, shortest)
    }
}

fn missing(enough: &Enough, rounds: usize, seconds: f64) -> Option<String> {
    (rounds < enough.rounds || seconds < enough.seconds).then(|| {
        format!(
            "{} measured in {}; {} in {} rounds are needed",
            text::seconds(seconds),
            counted(rounds as u64, "round"),
            text::seconds(enough.seconds),
            enough.rounds
        )
    })
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

/// The interval of one of `many` that a verdict rests on: each is widened so that all of them are
/// right with 95 % confidence (Bonferroni).
fn interval(change: &Change, many: usize) -> [f64; 2] {
    change.interval(1.0 - (1.0 - CONFIDENCE) / many.max(1) as f64)
}

/// The same in percent.
fn percents(change: &Change, many: usize) -> [f64; 2] {
    interval(change, many).map(percent)
}

/// A change with its interval: `+7.3 % here, between +5.1 and +9.4 % (95 %, 3 rounds)`.
fn found(change: &Change) -> String {
    let [low, high] = percents(change, 1);
    let rounds = counted(change.pairs.unwrap_or(0).into(), "round");
    let measured = percent(change.log_ratio.exp());
    format!("{measured:+.1} % here, between {low:+.1} and {high:+.1} % (95 %, {rounds})")
}

/// One of many: `+7.3 % (+5.1 to +9.4)`.
fn brief(change: &Change, many: usize) -> String {
    let measured = percent(change.log_ratio.exp());
    match percents(change, many) {
        [low, high] if high < WIDEST => format!("{measured:+.1} % ({low:+.1} to {high:+.1})"),
        _ => format!("{measured:+.1} % (too few runs)"),
    }
}

/// A text with the published figures in its placeholders.
///
/// # Errors
/// The name of a placeholder without a value.
pub(super) fn filled(
    text: &str,
    there: Option<&definition::PublishedRatios>,
    published: &[Row],
) -> Result<String, String> {
    let pairs = there.map(|there| {
        let rows: Vec<&Row> = published.iter().filter(|row| there.only.has(&row.labels)).collect();
        let figures = there.ratio.pairs(&rows).into_iter();
        figures
            .filter_map(|(of, to)| Some((of.figure(&there.figure)?, to.figure(&there.figure)?)))
            .collect::<Vec<_>>()
    });
    let pairs = pairs.unwrap_or_default();
    let gains = || pairs.iter().map(|(of, to)| -percent(of.value / to.value));
    let first = pairs.first();
    template::fill(text, |place| match place {
        "of" => first.map(|(of, _)| of.to_string()),
        "to" => first.map(|(_, to)| to.to_string()),
        "change" => first.map(|(of, to)| format!("{:+.1} %", percent(of.value / to.value))),
        "least" => gains().reduce(f64::min).map(|gain| format!("{:.0}", gain.round())),
        "most" => gains().reduce(f64::max).map(|gain| format!("{:.0}", gain.round())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_milliseconds_give_no_verdict() {
        let missing =
            |rounds, seconds| missing(&Enough { rounds: 3, seconds: 5.0 }, rounds, seconds);
        let expected = "0.03 s measured in 1 round; 5 s in 3 rounds are needed";
        assert_eq!(missing(1, 0.03).as_deref(), Some(expected));
        assert!(missing(1, 0.003).is_some_and(|text| text.starts_with("3 ms measured")));
        assert!(missing(2, 60.0).is_some() && missing(3, 4.9).is_some());
        assert_eq!(missing(3, 5.0), None);
    }

    /// By hand: mean 2, deviation 1, t of two degrees 4.303, for two intervals 6.205.
    #[test]
    fn intervals_of_many_are_wider() {
        let pairs = Pairs::of([1.0_f64, 2.0, 3.0].map(|log| (1.0, log.exp())));
        for (many, t) in [(1, 4.302_65), (2, 6.205_35)] {
            let [_, high] = percents(&pairs.change().unwrap(), many);
            let high = ((high / 100.0).ln_1p() - 2.0) * 3.0_f64.sqrt();
            assert!((high - t).abs() < 1e-4, "{high}");
        }
        let one = Pairs::of([(1.0, 2.0)]).change().unwrap();
        assert_eq!(brief(&one, 1), "+100.0 % (too few runs)");
    }
}
