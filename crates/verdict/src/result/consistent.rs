//! Consistency checks of a result: sums, histograms, percentiles, seconds.

use hdrhistogram::Histogram;

use super::{FailureRow, KILLED, Percentiles, RunResult, Second};
use crate::times::histogram;

/// The tolerated rounding error of rates, which are quotients of other fields.
pub(crate) const ROUNDED: f64 = 1e-6;

/// A consistency check of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The condition that must hold.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// The values found, if it does not hold.
    pub found: String,
}

/// Checks a result for consistency.
pub fn consistent(result: &RunResult) -> Vec<Statement> {
    let mut checks = Checks(Vec::new());
    sums(result, &mut checks);
    window(result, &mut checks);
    histograms(result, &mut checks);
    percentiles(result, &mut checks);
    seconds(result, &mut checks);
    verdicts(result, &mut checks);
    checks.0
}

/// The checks of a result so far.
pub(crate) struct Checks(pub(crate) Vec<Statement>);

impl Checks {
    pub(crate) fn must(&mut self, name: impl Into<String>, holds: bool, found: impl Into<String>) {
        let found = if holds { String::new() } else { found.into() };
        self.0.push(Statement { name: name.into(), holds, found });
    }

    pub(crate) fn equal(&mut self, name: impl Into<String>, left: u64, right: u64) {
        self.must(name, left == right, format!("{left} and {right}"));
    }
}

fn sums(result: &RunResult, checks: &mut Checks) {
    let totals = &result.totals;
    let sum = |of: fn(&super::TypeResult) -> u64| result.types.iter().map(of).sum::<u64>();
    checks.equal(
        "completed by type sum to the total",
        sum(|kind| kind.completed),
        totals.completed,
    );
    checks.equal("failed by type sum to the total", sum(|kind| kind.failed), totals.failed);
    checks.equal(
        "unfinished by type sum to the total",
        sum(|kind| kind.unfinished),
        totals.unfinished,
    );
    checks.equal(
        "completed in the window by type sum to the total",
        sum(|kind| kind.completed_in_window),
        totals.completed_in_window,
    );
    checks.equal(
        "round trips by type sum to the total",
        sum(|kind| kind.round_trips),
        totals.round_trips,
    );
    checks.equal(
        "bytes by type sum to the total",
        sum(|kind| kind.bytes),
        totals.sent_bytes + totals.received_bytes,
    );
    // A run that was killed has no outcomes: they are known at its end.
    if result.window.ended_by != KILLED {
        checks.equal(
            "outcomes sum to completed and failed",
            totals.outcomes.values().sum::<u64>(),
            totals.completed + totals.failed,
        );
    }
    for (outcome, count) in &totals.outcomes {
        let by_type = result.types.iter().filter_map(|kind| kind.outcomes.get(outcome)).sum();
        checks.equal(format!("outcome {outcome} by type sums to the total"), by_type, *count);
    }
    failures(result, checks);
    let lost = result.processes.iter().any(|process| !process.finished);
    if !result.processes.is_empty() && !lost {
        let sum = result.processes.iter().map(|process| process.completed).sum();
        checks.equal("completed by process sum to the total", sum, totals.completed);
        let sum = result.processes.iter().map(|process| process.failed).sum();
        checks.equal("failed by process sum to the total", sum, totals.failed);
    }
    if let Some(offered) = totals.offered {
        let all = totals.completed + totals.failed + totals.unfinished + totals.unsent;
        checks.equal("offered are completed, failed, unfinished and unsent", offered, all);
    }
    rates(result, checks);
}

/// Rates are quotients of counts, and what was late is late by one side.
fn rates(result: &RunResult, checks: &mut Checks) {
    let totals = &result.totals;
    let measured = result.window.measured_s;
    let mut rate = |name: &str, count: u64, stored: f64| {
        let rate = count as f64 / measured;
        let holds = (rate - stored).abs() <= ROUNDED * rate.max(1.0);
        checks.must(name, holds, format!("{rate} and {stored}"));
    };
    if measured > 0.0 {
        let completed = totals.completed_in_window;
        rate("the rate is completed in the window by measured time", completed, totals.tps);
        // Earlier versions have none.
        if result.version >= 3 {
            let ended = completed + totals.failed_in_window;
            rate(
                "the rate of all is ended in the window by measured time",
                ended,
                totals.ended_per_s,
            );
        }
    }
    if result.version >= 3 {
        let by_side = totals.late_by_client + totals.late_by_server;
        checks.equal("late are those by client and by server", totals.late, by_side);
    }
}

/// The window lies in the run, and what ended in it is in its seconds. The seconds of several machines differ by one.
fn window(result: &RunResult, checks: &mut Checks) {
    let window = &result.window;
    let until = window.from_s + window.measured_s;
    let is_within = window.from_s >= 0.0 && window.measured_s >= 0.0;
    checks.must(
        "the window is a part of the run",
        is_within && (result.seconds.is_empty() || until <= window.total_s + 1.0),
        format!("{} s from {} s on, of {} s", window.measured_s, window.from_s, window.total_s),
    );
    if result.seconds.is_empty() {
        return;
    }
    let around = |second: &&Second| {
        second.at_s as f64 + 2.0 > window.from_s && (second.at_s as f64) < until + 1.0
    };
    let sum = |of: fn(&Second) -> u64| result.seconds.iter().filter(around).map(of).sum::<u64>();
    let [completed, failed] = [sum(|second| second.completed), sum(|second| second.failed)];
    let totals = &result.totals;
    checks.must(
        "what ended in the window is in its seconds",
        totals.completed_in_window <= completed && totals.failed_in_window <= failed,
        format!(
            "{} and {} in the window, {completed} and {failed} in its seconds",
            totals.completed_in_window, totals.failed_in_window
        ),
    );
}

/// Failures by message, which a run that was killed has not, and earlier versions counted over the whole run.
fn failures(result: &RunResult, checks: &mut Checks) {
    if result.version < 3 || result.window.ended_by == KILLED {
        return;
    }
    let counted: u64 = result.failures.iter().map(|row| row.count).sum();
    let failed = result.totals.failed;
    let are_all = result.failures.len() < FailureRow::MOST;
    checks.must(
        "failures by message sum to the failed",
        counted == failed || !are_all && counted < failed,
        format!("{counted} and {failed}"),
    );
}

fn histograms(result: &RunResult, checks: &mut Checks) {
    let totals = &result.totals;
    for (response, clock, stored) in
        [(false, "service", &totals.service), (true, "response", &totals.response)]
    {
        let mut all = histogram();
        for kind in &result.types {
            // These were validated when the file was read.
            let (Ok(ended), Ok(unfinished)) =
                (kind.histogram(response), kind.unfinished_histogram(response))
            else {
                continue;
            };
            let name = format!("{clock} times of {}", kind.short);
            checks.equal(format!("{name}: as many as completed"), ended.len(), kind.completed);
            let timed_out = kind.outcomes.get("timeout").copied().unwrap_or(0);
            let all_of_them = kind.unfinished + timed_out;
            // Earlier versions gave those that timed out no time.
            checks.must(
                format!("{name}: as many as unfinished"),
                [kind.unfinished, all_of_them].contains(&unfinished.len()),
                format!("{} and {all_of_them}", unfinished.len()),
            );
            let stored = if response { &kind.response } else { &kind.service };
            same([&ended, &unfinished], stored, &name, checks);
            // Both have the same precision and resize, so adding cannot fail.
            let _ = all.add(&ended);
        }
        let unfinished = result.unfinished(response);
        same([&all, &unfinished], stored, &format!("{clock} times of all"), checks);
    }
}

fn same(
    [ended, unfinished]: [&Histogram<u64>; 2],
    stored: &Percentiles,
    name: &str,
    checks: &mut Checks,
) {
    let own = Percentiles::with_unfinished(ended, unfinished);
    let mean = (own.mean_us - stored.mean_us).abs() <= ROUNDED * own.mean_us.max(1.0);
    let rest = Percentiles { mean_us: stored.mean_us, ..own } == *stored;
    checks.must(
        format!("{name}: percentiles are the histogram's"),
        mean && rest,
        format!("{own:?} and {stored:?}"),
    );
}

fn percentiles(result: &RunResult, checks: &mut Checks) {
    let totals = &result.totals;
    let mut all = vec![
        ("all".to_owned(), &totals.service),
        ("all".into(), &totals.response),
        ("lag".into(), &totals.lag),
    ];
    all.extend(result.types.iter().flat_map(|kind| {
        [(kind.short.clone(), &kind.service), (kind.short.clone(), &kind.response)]
    }));
    let mut known = all.iter().filter(|(_, percentiles)| percentiles.are_known());
    let wrong = known.find(|(_, percentiles)| !ordered(percentiles));
    checks.must(
        "percentiles are in order",
        wrong.is_none(),
        wrong.map(|(of, percentiles)| format!("{of}: {percentiles:?}")).unwrap_or_default(),
    );
    let (service, response) = (&totals.service, &totals.response);
    // Transactions that never began have no service time and may have waited less.
    let holds =
        totals.unsent > 0 || service.p50_us <= response.p50_us && service.max_us <= response.max_us;
    checks.must(
        "response times are not below service times",
        holds,
        format!("{service:?} and {response:?}"),
    );
}

/// Whether the percentiles ascend.
fn ordered(of: &Percentiles) -> bool {
    let mut last = of.min_us;
    let known = [
        Some(of.p50_us),
        Some(of.p90_us),
        Some(of.p95_us),
        of.p99_us,
        of.p99_9_us,
        Some(of.max_us),
    ];
    let rises = known.into_iter().flatten().all(|value| {
        let rises = value >= last;
        last = value;
        rises
    });
    // A histogram's mean uses bucket midpoints, with an error of at most 0.1 %.
    let slack = of.mean_us * 0.001 + 1.0;
    let between = of.min_us as f64 <= of.mean_us + slack && of.mean_us <= of.max_us as f64 + slack;
    rises && between
}

fn seconds(result: &RunResult, checks: &mut Checks) {
    if result.seconds.is_empty() {
        return;
    }
    let in_order = result.seconds.windows(2).all(|pair| pair[0].at_s < pair[1].at_s);
    checks.must(
        "seconds follow each other",
        in_order,
        "one is twice there, or earlier than the one before",
    );
    let apart = |second: &&Second| {
        let by_type = second.by_type.iter().sum::<u64>() != second.completed;
        // Merged results have no percentiles per second.
        by_type || ![0, second.completed].contains(&second.service.count)
    };
    let wrong = result.seconds.iter().find(apart);
    checks.must(
        "completed of every second are those of its types",
        wrong.is_none(),
        wrong.map(|second| format!("second {}", second.at_s)).unwrap_or_default(),
    );
    // Earlier versions do not have them by type.
    let apart = |second: &&Second| {
        result.version >= 3 && second.failed_by_type.iter().sum::<u64>() != second.failed
    };
    let wrong = result.seconds.iter().find(apart);
    checks.must(
        "failed of every second are those of its types",
        wrong.is_none(),
        wrong.map(|second| format!("second {}", second.at_s)).unwrap_or_default(),
    );
    let ended: u64 = result.seconds.iter().map(|second| second.completed).sum();
    let failed: u64 = result.seconds.iter().map(|second| second.failed).sum();
    let lost = result.processes.iter().any(|process| !process.finished);
    if !lost {
        let totals = &result.totals;
        let [most_completed, most_failed] = [
            totals.completed.max(totals.completed_in_window),
            totals.failed.max(totals.failed_in_window),
        ];
        let holds = ended >= most_completed && failed >= most_failed;
        let found =
            format!("{ended} and {failed} in seconds, {most_completed} and {most_failed} measured");
        checks.must("all that was measured is in the seconds", holds, found);
    }
}

fn verdicts(result: &RunResult, checks: &mut Checks) {
    if let Some(ledger) = &result.ledger {
        let all = ledger.rows.iter().all(|row| row.agrees);
        checks.must(
            "the ledger balances if its rows agree",
            all == ledger.balanced,
            format!("{}", ledger.balanced),
        );
    }
}
