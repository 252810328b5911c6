//! The compared figures, each with an estimate of its variance within its run.

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::judge::blocks::Seconds;
use crate::judge::{Better, Estimate, FEWEST_S, Row, Rules, one_of};
use crate::result::{RunResult, Second, needed};
use crate::text;
use crate::times::{self, add, histogram};

/// Figures without a verdict, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// What is missing: `after: 3 s measured, 20 s needed`.
    pub why: String,
    /// The names of their rows.
    pub rows: Vec<String>,
}

/// The rows of a comparison before judgement, and the figures that cannot be judged. Times are response times
/// in open runs and service times in closed ones, in milliseconds.
pub fn rows(base: &RunResult, new: &RunResult, rules: &Rules) -> (Vec<Row>, Vec<Missing>) {
    let sides = [ComparedRun::of(base), ComparedRun::of(new)];
    let mut table = Judgeable { rules, rows: Vec::new(), missing: Vec::new() };
    table.add("throughput", "/s", Better::Higher, [&sides[0].per_s, &sides[1].per_s]);
    table.add("mean", "ms", Better::Lower, [&sides[0].mean_ms, &sides[1].mean_ms]);
    for (name, quantile) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        let [a, b] = [sides[0].percentile(quantile), sides[1].percentile(quantile)];
        if let (Some(a), Some(b)) = (a, b) {
            table.add(name, "ms", Better::Lower, [&a, &b]);
        }
    }
    for kind in &base.types {
        let means = [type_mean(base, &kind.name), type_mean(new, &kind.name)];
        if let [Some(a), Some(b)] = means {
            table.add(&format!("{}: mean", kind.name), "ms", Better::Lower, [&a, &b]);
        }
    }
    let Judgeable { mut rows, missing, .. } = table;
    let failed = [base.failed_share() * 100.0, new.failed_share() * 100.0];
    rows.push(Row::shown("failed", "%", Better::Lower, failed[0], failed[1]));
    let cpu = [base.client.cpu_us_per_transaction, new.client.cpu_us_per_transaction];
    rows.push(Row::shown("client CPU each", "µs", Better::Lower, cpu[0], cpu[1]));
    (rows, missing)
}

/// A figure of a result, with its estimate from seconds or the reason why there is none.
struct Figure {
    shown: f64,
    /// The smallest change that it shows, as a logarithm.
    step: f64,
    estimate: Result<Estimate, String>,
}

/// Rows to be judged.
struct Judgeable<'a> {
    rules: &'a Rules,
    rows: Vec<Row>,
    missing: Vec<Missing>,
}

impl Judgeable<'_> {
    fn add(&mut self, name: &str, unit: &str, better: Better, [base, new]: [&Figure; 2]) {
        let row = Row::shown(name, unit, better, base.shown, new.shown);
        let row = match (&base.estimate, &new.estimate) {
            (Ok(a), Ok(b)) if row.ratio.is_some() => {
                row.changed(b.against(a, self.rules).measured_to(base.step + new.step))
            }
            (Ok(_), Ok(_)) => self.without(row, "a side is 0"),
            (a, b) => {
                let why: Vec<&str> =
                    [a, b].iter().filter_map(|it| it.as_ref().err()).map(String::as_str).collect();
                self.without(row, &why.join("; "))
            }
        };
        self.rows.push(row);
    }

    fn without(&mut self, row: Row, why: &str) -> Row {
        match self.missing.iter_mut().find(|known| known.why == why) {
            Some(known) => known.rows.push(row.name.clone()),
            None => self.missing.push(Missing { why: why.into(), rows: vec![row.name.clone()] }),
        }
        row
    }
}

struct ComparedRun<'a> {
    result: &'a RunResult,
    per_s: Figure,
    mean_ms: Figure,
    seconds: Seconds,
}

impl<'a> ComparedRun<'a> {
    fn of(result: &'a RunResult) -> Self {
        let per_s: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
        let of = |second: &Second| {
            let times = if result.is_open() { second.response } else { second.service };
            (times.count > 0).then_some(times.mean_us / 1e3)
        };
        let means: Vec<f64> = result.measured().filter_map(of).collect();
        let total = if result.is_open() { result.totals.response } else { result.totals.service };
        Self {
            result,
            per_s: Figure {
                step: one_of(result.totals.completed_in_window),
                ..with_spread(result, result.totals.tps, &per_s)
            },
            mean_ms: with_spread(result, total.mean_us / 1e3, &means),
            seconds: seconds_of(result),
        }
    }

    /// The percentile of the run's histogram with the variance of its seconds; `None` with too few samples.
    fn percentile(&self, quantile: f64) -> Option<Figure> {
        let total = if self.result.is_open() {
            &self.result.totals.response
        } else {
            &self.result.totals.service
        };
        if total.count < needed(quantile) {
            return None;
        }
        let micros = if quantile >= 0.99 {
            total.p99_us?
        } else if quantile >= 0.95 {
            total.p95_us
        } else {
            total.p50_us
        };
        let shown = micros as f64 / 1e3;
        let spread = self.seconds.estimate(quantile);
        let estimate = spread.map(|it| Estimate { value: shown, ..it }).ok_or_else(|| {
            let seconds = self.result.measured().count();
            match seconds < FEWEST_S {
                true => too_short(self.result, seconds),
                false => format!("{}: seconds without their histograms", self.result.title()),
            }
        });
        Some(Figure { shown, step: times::step(micros as f64), estimate })
    }
}

/// The histograms of the measured seconds; `None` if any is missing.
pub fn seconds_of(result: &RunResult) -> Seconds {
    let kept = result
        .measured()
        .all(|second| !second.response_histogram.is_empty() || second.response.count == 0);
    if !kept {
        return Seconds::default();
    }
    let seconds: Vec<&Second> = result.measured().collect();
    let due = result.histogram();
    let mut ended = histogram();
    let groups = seconds.chunks(Seconds::merged(seconds.len()));
    let last = groups.len().saturating_sub(1);
    // One by one, because those of a long run do not fit in memory.
    Seconds::of_groups(groups.enumerate().map(|(place, group)| {
        let mut times = together(group);
        // All have the same precision.
        let _ = ended.add(&times);
        if place == last {
            let _ = times.add(later(&due, &ended));
        }
        times
    }))
}

/// The times of neighbouring seconds.
fn together(seconds: &[&Second]) -> Histogram<u64> {
    let mut all = histogram();
    // Checked when it was read.
    seconds.iter().for_each(|second| drop(add(&mut all, &second.response_histogram)));
    all
}

/// Transactions due in the window that ended after it or not at all, which no measured second contains.
/// They are added to the last seconds.
fn later(due: &Histogram<u64>, ended: &Histogram<u64>) -> Histogram<u64> {
    let mut later = histogram();
    for row in due.iter_recorded() {
        let value = row.value_iterated_to();
        let more = row.count_at_value().saturating_sub(ended.count_at(value));
        let _ = later.record_n(value, more);
    }
    later
}

/// The run's figure with the relative variance of its seconds.
fn with_spread(result: &RunResult, shown: f64, seconds: &[f64]) -> Figure {
    let estimate = Estimate::of_seconds(seconds).filter(|_| shown > 0.0);
    let estimate = estimate.map(|it| Estimate { value: shown, ..it });
    Figure { shown, step: 0.0, estimate: estimate.ok_or_else(|| too_short(result, seconds.len())) }
}

/// Why a figure of this many seconds has no variance.
fn too_short(result: &RunResult, seconds: usize) -> String {
    let (title, measured) = (result.title(), result.measured().count());
    match () {
        // The result has no seconds although the run measured for longer.
        () if measured == 0 && result.window.measured_s >= 1.0 => {
            format!("{title}: its seconds were not kept, {FEWEST_S} are needed")
        }
        () if measured < FEWEST_S => {
            let measured = text::seconds(result.window.measured_s);
            format!("{title}: {measured} measured, {FEWEST_S} s needed")
        }
        () => format!(
            "{title}: transactions in {seconds} of the measured seconds, in {FEWEST_S} needed"
        ),
    }
}

fn type_mean(result: &RunResult, name: &str) -> Option<Figure> {
    let (at, kind) = result.types.iter().enumerate().find(|(_, kind)| kind.name == name)?;
    let seconds = result.measured().filter(|second| second.by_type.get(at).is_some_and(|n| *n > 0));
    let means = seconds.filter_map(|second| second.mean_us_by_type.get(at).map(|mean| mean / 1e3));
    let means: Vec<f64> = means.collect();
    (kind.service.count > 0).then(|| with_spread(result, kind.service.mean_us / 1e3, &means))
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn figures_without_seconds_are_shown_but_not_judged() {
        let full = Example::default().build();
        let mut bare = full.clone();
        bare.seconds.clear();
        let (rows, missing) = rows(&full, &bare, &Rules::default());
        let judged = crate::judge::judge(rows, &Rules::default());
        assert!(judged.iter().all(|row| row.verdict.is_none() && row.interval.is_none()));
        assert_eq!(judged[0].ratio, Some(1.0));
        let names: Vec<&str> = judged.iter().map(|row| &*row.name).collect();
        let expected =
            ["throughput", "mean", "p50", "p95", "p99", "New order: mean", "Payment: mean"];
        assert_eq!(names[..7], expected);
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].why, "before: its seconds were not kept, 20 are needed");
    }

    #[test]
    fn equal_medians_of_few_microseconds_are_known_to_one() {
        let run = Example { median_us: 23.0, ..Example::default() }.build();
        let rules = Rules { drift: 0.0, ..Rules::default() };
        let judged = crate::judge::judge(rows(&run, &run, &rules).0, &rules);
        let p50 = judged.iter().find(|row| row.name == "p50").unwrap();
        let step = (1.0 + 1e-3 / p50.base).powi(2);
        let [low, high] = p50.interval.unwrap();
        assert!(low <= 1.000_001 / step && high >= step / 1.000_001, "{p50:?}");
    }

    #[test]
    fn a_short_run_lists_missing_figures() {
        let full = Example::default().build();
        let brief = Example { name: "after".into(), measured_s: 3, ..Example::default() }.build();
        let (rows, missing) = rows(&full, &brief, &Rules::default());
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].why, "after: 3 s measured, 20 s needed");
        // All rows except those that are never judged.
        assert_eq!(missing[0].rows.len(), rows.len() - 2);
        // 600 transactions have no p99.
        assert!(rows.iter().all(|row| row.name != "p99"));
    }

    #[test]
    fn adds_late_transactions_to_the_last_second() {
        let mut hung = Example::default().build();
        let calm = seconds_of(&hung);
        let mut times = hung.types[0].histogram(true).unwrap();
        // Add 10 % of transactions that no second of the window contains.
        times.record_n(5_000_000, hung.totals.completed / 10).unwrap();
        let packed = times::pack(&times);
        hung.types[0].response_histogram.clone_from(&packed);
        hung.types[0].service_histogram = packed;
        let found = seconds_of(&hung);
        assert!(calm.percentile(0.95).unwrap() < 100_000.0);
        assert!(found.percentile(0.95).unwrap() > 4_900_000.0);
        // Draws may or may not contain them, so the percentile is uncertain.
        let [low, high] = found.interval(0.95).unwrap();
        assert!(low < 100_000.0 && high > 4_900_000.0, "{low} {high}");
        assert_eq!(calm.percentile(0.5), seconds_of(&Example::default().build()).percentile(0.5));
    }

    #[test]
    fn a_percentile_without_histograms_has_no_interval() {
        let full = Example::default().build();
        let mut bare = full.clone();
        bare.seconds[20].response_histogram.clear();
        let (rows, missing) = rows(&full, &bare, &Rules::default());
        let judged = crate::judge::judge(rows, &Rules::default());
        assert!(judged[0].interval.is_some() && judged[3].interval.is_none());
        assert_eq!(missing[0].rows, ["p50", "p95", "p99"]);
        assert_eq!(missing[0].why, "before: seconds without their histograms");
    }
}
