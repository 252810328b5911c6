//! The figures that are compared, each with what is known of its spread within its run.

use crate::judge::blocks::Seconds;
use crate::judge::{Better, Estimate, Row, Rules};
use crate::record::unpack;
use crate::result::RunResult;

/// The rows of a comparison, not judged yet. Times are response times in open runs and service times
/// in closed ones, in milliseconds.
pub fn rows(base: &RunResult, new: &RunResult, rules: &Rules) -> Vec<Row> {
    let sides = [Side::of(base), Side::of(new)];
    let mut rows =
        vec![row("throughput", "/s", Better::Higher, [&sides[0].per_s, &sides[1].per_s], rules)];
    let means = [&sides[0].mean_ms, &sides[1].mean_ms];
    rows.push(row("mean", "ms", Better::Lower, means, rules));
    for (name, quantile) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        let [a, b] = [sides[0].percentile(quantile), sides[1].percentile(quantile)];
        if let (Some(a), Some(b)) = (a, b) {
            rows.push(row(name, "ms", Better::Lower, [&a, &b], rules));
        }
    }
    for kind in &base.types {
        let means = [type_mean(base, &kind.name), type_mean(new, &kind.name)];
        if let [Some(a), Some(b)] = means {
            rows.push(row(&format!("{}: mean", kind.name), "ms", Better::Lower, [&a, &b], rules));
        }
    }
    let failed = [base.failed_share() * 100.0, new.failed_share() * 100.0];
    rows.push(Row::shown("failed", "%", Better::Lower, failed[0], failed[1]));
    let cpu = [base.client.cpu_us_per_transaction, new.client.cpu_us_per_transaction];
    rows.push(Row::shown("client processor time each", "µs", Better::Lower, cpu[0], cpu[1]));
    rows
}

/// A figure as the result has it, and its estimate from seconds where there are enough.
struct Figure {
    shown: f64,
    estimate: Option<Estimate>,
}

fn row(name: &str, unit: &str, better: Better, [base, new]: [&Figure; 2], rules: &Rules) -> Row {
    let row = Row::shown(name, unit, better, base.shown, new.shown);
    match (base.estimate, new.estimate) {
        (Some(a), Some(b)) if row.ratio.is_some() => row.changed(b.against(&a, rules)),
        _ => row,
    }
}

struct Side<'a> {
    result: &'a RunResult,
    per_s: Figure,
    mean_ms: Figure,
    seconds: Seconds,
}

impl<'a> Side<'a> {
    fn of(result: &'a RunResult) -> Self {
        let per_s: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
        let of = |second: &crate::result::Second| {
            let times = if result.is_open() { second.response } else { second.service };
            (times.count > 0).then_some(times.mean_us / 1e3)
        };
        let means: Vec<f64> = result.measured().filter_map(of).collect();
        let total = if result.is_open() { result.totals.response } else { result.totals.service };
        Self {
            result,
            per_s: with_spread(result.totals.tps, &per_s),
            mean_ms: with_spread(total.mean_us / 1e3, &means),
            seconds: seconds_of(result),
        }
    }

    /// From the whole histogram, with the spread of the seconds'.
    fn percentile(&self, quantile: f64) -> Option<Figure> {
        let total = if self.result.is_open() {
            &self.result.totals.response
        } else {
            &self.result.totals.service
        };
        let micros = if quantile >= 0.99 {
            total.p99_us?
        } else if quantile >= 0.95 {
            total.p95_us
        } else {
            total.p50_us
        };
        let shown = micros as f64 / 1e3;
        let spread = self.seconds.estimate(quantile);
        Some(Figure { shown, estimate: spread.map(|it| Estimate { value: shown, ..it }) })
    }
}

/// The measured seconds' times; none, where any of them was not kept.
pub(crate) fn seconds_of(result: &RunResult) -> Seconds {
    let kept = result
        .measured()
        .all(|second| !second.response_histogram.is_empty() || second.response.count == 0);
    if !kept {
        return Seconds::default();
    }
    let times = result.measured().filter_map(|second| unpack(&second.response_histogram).ok());
    Seconds::of(result.measured().count(), times)
}

/// The whole run's figure with the relative spread of its seconds.
fn with_spread(shown: f64, seconds: &[f64]) -> Figure {
    let estimate = Estimate::of_seconds(seconds).filter(|_| shown > 0.0);
    Figure { shown, estimate: estimate.map(|it| Estimate { value: shown, ..it }) }
}

fn type_mean(result: &RunResult, name: &str) -> Option<Figure> {
    let (at, kind) = result.types.iter().enumerate().find(|(_, kind)| kind.name == name)?;
    let seconds = result.measured().filter(|second| second.by_type.get(at).is_some_and(|n| *n > 0));
    let means = seconds.filter_map(|second| second.mean_us_by_type.get(at).map(|mean| mean / 1e3));
    let means: Vec<f64> = means.collect();
    (kind.service.count > 0).then(|| with_spread(kind.service.mean_us / 1e3, &means))
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn without_seconds_figures_are_shown_and_not_judged() {
        let full = Example::default().build();
        let mut bare = full.clone();
        bare.seconds.clear();
        let judged = crate::judge::judge(rows(&full, &bare, &Rules::default()), &Rules::default());
        assert!(judged.iter().all(|row| row.verdict.is_none() && row.interval.is_none()));
        assert_eq!(judged[0].ratio, Some(1.0));
        let names: Vec<&str> = judged.iter().map(|row| &*row.name).collect();
        let expected =
            ["throughput", "mean", "p50", "p95", "p99", "New order: mean", "Payment: mean"];
        assert_eq!(names[..7], expected);
    }

    #[test]
    fn a_percentile_without_its_histograms_has_no_interval() {
        let full = Example::default().build();
        let mut bare = full.clone();
        bare.seconds[20].response_histogram.clear();
        let judged = crate::judge::judge(rows(&full, &bare, &Rules::default()), &Rules::default());
        assert!(judged[0].interval.is_some() && judged[3].interval.is_none());
    }
}
