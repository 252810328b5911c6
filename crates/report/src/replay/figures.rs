//! The figures of rows, published or measured. Data files use their names.

use std::collections::BTreeMap;

use duet_verdict::judge::mean;
use duet_verdict::result::{Percentiles, RunResult};
use duet_verdict::series::TrialFigures;

use super::definition::PublishedFigures;
use super::labels::{HasLabels, Labels};
use super::measured::{Runs, Series};
use super::number::{Cell, Number};
use crate::summary::MINUTE_S;

/// All figures.
pub(super) const KNOWN: [&str; 38] = [
    "avg_ms",
    "min_ms",
    "med_ms",
    "max_ms",
    "p90_ms",
    "p95_ms",
    "per_s",
    "tps",
    "tps_range",
    "max_tpm",
    "round_trips",
    "sent_bytes",
    "received_bytes",
    "client_cpu_us",
    "server_cpu_us",
    "commits_per_s",
    "cycle_ms",
    "service_ms",
    "think_ms",
    "ceiling_per_s",
    "runs",
    "average_s",
    "us_per_query",
    "queries_per_s",
    "p99_ms",
    "failed",
    "rows_per_s",
    "spread",
    "token_ms",
    "json_in_ms",
    "queue_ms",
    "statement_ms",
    "commit_ms",
    "json_out_ms",
    "rest_ms",
    "whole_ms",
    "sql_ms",
    "middleware_ms",
];

/// Figures that a workload adds to its results: ours, the result's, the factor to our unit, decimals.
const OF_WORKLOADS: [(&str, &str, f64, usize); 11] = [
    ("rows_per_s", "Rows created", 1.0, 0),
    ("spread", "Busiest instance ÷ least", 1.0, 2),
    ("token_ms", "CREATE: token and route", 1e-3, 3),
    ("json_in_ms", "CREATE: JSON in", 1e-3, 3),
    ("queue_ms", "CREATE: queue", 1e-3, 3),
    ("statement_ms", "CREATE: statement", 1e-3, 3),
    ("commit_ms", "CREATE: commit", 1e-3, 3),
    ("json_out_ms", "CREATE: JSON out", 1e-3, 3),
    ("rest_ms", "CREATE: not explained (network, client)", 1e-3, 3),
    ("whole_ms", "CREATE: whole", 1e-3, 3),
    ("sql_ms", "INSERT by SQL: whole", 1e-3, 3),
];

/// The figures of a row by name; some are lists.
pub(super) type Figures = BTreeMap<String, Vec<Number>>;

/// A row of figures, with its labels.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) labels: Labels,
    pub(super) figures: Figures,
    /// Its name.
    pub(super) name: String,
    /// Why it was not measured, if so.
    pub(super) missing: Option<String>,
}

impl HasLabels for Row {
    fn labels(&self) -> &Labels {
        &self.labels
    }
}

impl Row {
    /// A figure that is not a list.
    pub(super) fn figure(&self, name: &str) -> Option<&Number> {
        self.figures.get(name)?.first()
    }
}

/// The published rows, with derived figures.
pub(super) fn published(published: &PublishedFigures) -> Vec<Row> {
    published.rows.iter().map(|cells| published_row(published, cells)).collect()
}

fn published_row(published: &PublishedFigures, cells: &[Cell]) -> Row {
    let (labels, figures) = cells.split_at(published.labels.len().min(cells.len()));
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Runs(_) => String::new(),
    };
    let labels: Labels = published.labels.iter().cloned().zip(labels.iter().map(text)).collect();
    let figures = published.figures.iter().zip(figures);
    let mut figures: Figures = figures
        .filter_map(|(name, cell)| Some((name.clone(), cell.numbers()?)))
        .filter(|(_, numbers)| !numbers.is_empty())
        .collect();
    if let Some(runs) = figures.get("runs") {
        let seconds: Vec<f64> = runs.iter().map(|number| number.value).collect();
        figures.extend(of_seconds(&seconds, published.reads.unwrap_or(0)));
    }
    if let (Some([tps]), Some(users)) = (figures.get("tps").map(Vec::as_slice), published.users) {
        let stated = labels.get("layout").and_then(|layout| users_of(layout));
        let value = f64::from(stated.unwrap_or(users)) * 1e3 / tps.value;
        let guess = if stated.is_some() { String::new() } else { format!(", if of {users} users") };
        let cycle = Number::new(value, format!("{value:.1}{guess}"));
        figures.insert("cycle_ms".into(), vec![cycle]);
    }
    let name = super::labels::named(&published.name, &labels);
    Row { labels, figures, name, missing: None }
}

/// Processes times users: 16 of `2x8`.
fn users_of(layout: &str) -> Option<u32> {
    let (processes, users) = layout.split_once('x')?;
    processes.parse::<u32>().ok()?.checked_mul(users.parse().ok()?)
}

/// The row of a measured variant.
pub(super) fn measured(series: &Series, name: &str, reads: u64) -> Row {
    let figures = match &series.runs {
        Runs::Results(results) if !results.is_empty() => of_results(results),
        Runs::Seconds(seconds) if !seconds.is_empty() => {
            let mut figures = of_seconds(seconds, reads);
            let runs = seconds.iter().map(|seconds| Number::rounded(*seconds, 3)).collect();
            figures.insert("runs".into(), runs);
            figures
        }
        _ => Figures::new(),
    };
    let labels = series.variant.labels.clone();
    let name = super::labels::named(name, &labels);
    Row { labels, figures, name, missing: series.variant.missing.clone() }
}

fn one(name: &str, value: f64, decimals: usize) -> (String, Vec<Number>) {
    (name.to_owned(), vec![Number::rounded(value, decimals)])
}

/// Figures derived from the seconds of runs with this many reads.
fn of_seconds(seconds: &[f64], reads: u64) -> Figures {
    let Some(average) = trimmed_mean(seconds) else { return Figures::new() };
    Figures::from([
        one("average_s", average, 3),
        one("us_per_query", average * 1e6 / reads as f64, 1),
        one("queries_per_s", reads as f64 / average, 0),
    ])
}

/// The mean without the fastest and the slowest run; of all, if there are fewer than three.
fn trimmed_mean(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => None,
        1 | 2 => Some(mean(&sorted)),
        runs => Some(mean(&sorted[1..runs - 1])),
    }
}

/// The figures over all rounds: histograms are added, requests are divided by the total time, and
/// other figures are averaged over rounds.
fn of_results(results: &[RunResult]) -> Figures {
    let mut figures = times(results);
    let of_rounds =
        |of: &dyn Fn(&RunResult) -> f64| mean(&results.iter().map(of).collect::<Vec<_>>());
    let seconds: f64 = results.iter().map(|result| result.window.measured_s).sum();
    let done = |result: &RunResult| result.totals.completed + result.totals.failed;
    let all: u64 = results.iter().map(done).sum();
    let per_s = if seconds > 0.0 { all as f64 / seconds } else { 0.0 };
    let tps = of_rounds(&|result| result.totals.tps);
    let service = of_rounds(&|result| result.totals.service.mean_us / 1e3);
    let think = of_rounds(&|result| result.load.think_ms.iter().sum::<f64>() / 2.0);
    let users = of_rounds(&|result| f64::from(result.load.users));
    let each = |sum: &dyn Fn(&RunResult) -> u64| {
        of_rounds(&|result| sum(result) as f64 / done(result).max(1) as f64)
    };
    figures.extend([
        one("per_s", per_s, 1),
        one("tps", tps, 2),
        ("tps_range".into(), vec![Number::new(tps, range(results))]),
        ("max_tpm".into(), vec![max_tpm(results)]),
        one("round_trips", each(&|result| result.totals.round_trips), 1),
        one("sent_bytes", each(&|result| result.totals.sent_bytes), 0),
        one("received_bytes", each(&|result| result.totals.received_bytes), 0),
        one("client_cpu_us", of_rounds(&|result| result.client.cpu_us_per_transaction), 0),
        one("commits_per_s", of_rounds(&|result| TrialFigures::of(result).commits_per_s), 0),
        one("service_ms", service, 1),
        one("think_ms", think, 1),
    ]);
    let failed: u64 = results.iter().map(|result| result.totals.failed).sum();
    figures.extend([one("failed", failed as f64, 0)]);
    figures.extend(of_workloads(results));
    if tps > 0.0 {
        figures.extend([one("cycle_ms", users * 1e3 / tps, 1)]);
    }
    if service + think > 0.0 {
        figures.extend([one("ceiling_per_s", users * 1e3 / (service + think), 2)]);
    }
    let server: Vec<f64> =
        results.iter().filter_map(|result| TrialFigures::of(result).server_us).collect();
    if !server.is_empty() {
        figures.extend([one("server_cpu_us", mean(&server), 0)]);
    }
    figures
}

/// The figures that workloads have added: the mean of the rounds.
fn of_workloads(results: &[RunResult]) -> Figures {
    let mean_of = |name: &str| {
        let value =
            |result: &RunResult| Some(result.figures.iter().find(|it| it.name == name)?.value);
        let values: Option<Vec<f64>> = results.iter().map(value).collect();
        values.filter(|values| !values.is_empty()).map(|values| mean(&values))
    };
    let each = OF_WORKLOADS.iter().filter_map(|(ours, theirs, factor, decimals)| {
        Some(one(ours, mean_of(theirs)? * factor, *decimals))
    });
    let mut figures: Figures = each.collect();
    let value = |name: &str| Some(figures.get(name)?.first()?.value);
    if let (Some(whole), Some(statement), Some(commit)) =
        (value("whole_ms"), value("statement_ms"), value("commit_ms"))
    {
        figures.extend([one("middleware_ms", whole - statement - commit, 3)]);
    }
    figures
}

/// A figure of each round, where all rounds have it.
pub(super) fn by_round(results: &[RunResult], name: &str) -> Vec<f64> {
    let value = |result: &RunResult| {
        Some(of_results(std::slice::from_ref(result)).get(name)?.first()?.value)
    };
    let values: Option<Vec<f64>> = results.iter().map(value).collect();
    values.unwrap_or_default()
}

fn times(results: &[RunResult]) -> Figures {
    let mut all = duet_verdict::times::histogram();
    for result in results {
        // All are histograms of the bench, of one form.
        let _ = all.add(result.histogram());
    }
    let times = Percentiles::of(&all);
    let ms = |name: &str, micros: u64| one(name, micros as f64 / 1e3, 2);
    let mut figures = Figures::from([
        one("avg_ms", times.mean_us / 1e3, 2),
        ms("min_ms", times.min_us),
        ms("med_ms", times.p50_us),
        ms("max_ms", times.max_us),
        ms("p90_ms", times.p90_us),
        ms("p95_ms", times.p95_us),
    ]);
    // Of too few requests there is none.
    figures.extend(times.p99_us.map(|micros| ms("p99_ms", micros)));
    figures
}

fn range(results: &[RunResult]) -> String {
    let rates = || results.iter().map(|result| result.totals.tps);
    let (least, most) = (rates().fold(f64::MAX, f64::min), rates().fold(f64::MIN, f64::max));
    format!("{least:.0} to {most:.0}")
}

/// The highest rate of a minute; `None` for runs of less than a minute.
fn max_tpm(results: &[RunResult]) -> Number {
    let value = mean(&results.iter().map(|it| it.totals.max_tpm as f64).collect::<Vec<_>>());
    match results.iter().all(|result| result.window.measured_s >= MINUTE_S) {
        true => Number::rounded(value, 0),
        false => Number::new(value, "under a minute".into()),
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::Figure;

    use super::*;

    #[test]
    fn averages_of_the_report() {
        assert_eq!(trimmed_mean(&[5.0, 1.0, 2.0, 3.0, 100.0]), Some(10.0 / 3.0));
        assert_eq!(trimmed_mean(&[1.0, 2.0]), Some(1.5));
        assert_eq!(trimmed_mean(&[]), None);
    }

    #[test]
    fn every_figure_is_known() {
        let mut result = crate::example::Example::default().build();
        result.load.think_ms = [10.0, 20.0];
        result.seconds.iter_mut().for_each(|second| {
            second.observed.insert("server.cpu".into(), 50.0);
        });
        let figure = |(_, name, ..): &(&str, &str, f64, usize)| Figure::new(name, 1.0, "µs");
        result.figures = OF_WORKLOADS.iter().map(figure).collect();
        let figures = of_results(&[result]).into_keys().chain(of_seconds(&[1.0], 5).into_keys());
        let mut names: Vec<String> = figures.chain(["runs".to_owned()]).collect();
        names.sort();
        let mut known = KNOWN.to_vec();
        known.sort_unstable();
        assert_eq!(names, known);
        assert_eq!((users_of("2x8"), users_of(""), users_of("axb")), (Some(16), None, None));
    }
}
