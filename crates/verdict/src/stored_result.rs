//! Checks of a result that was read from a file: that it has all that a run writes, and that its judgements are those of
//! its figures.

use duet_model::Result;

use crate::result::{Checks, LedgerRow, ROUNDED, RunResult, Statement, consistent, wrong};
use crate::threshold::Rule;

/// Checks a result that was read from a file: besides [`consistent`], that it has all that a run writes.
pub fn consistent_file(result: &RunResult) -> Vec<Statement> {
    let mut statements = consistent(result);
    let mut checks = Checks(Vec::new());
    check(result, &mut checks);
    statements.append(&mut checks.0);
    statements
}

/// Refuses a result whose parts contradict each other, such as one that was edited; `name` is its name in errors.
///
/// # Errors
/// `ResultFile` with every condition that does not hold, and the values found.
pub fn refuse_contradictions(result: &RunResult, name: &str) -> Result<()> {
    let failed = consistent_file(result).into_iter().filter(|statement| !statement.holds);
    let found: Vec<String> = failed.map(|it| format!("{}: {}", it.name, it.found)).collect();
    if found.is_empty() {
        return Ok(());
    }
    let message = format!("The result {name} contradicts itself. {}.", found.join(". "));
    Err(wrong(message).hint("It was edited, or only a part of it was written: measure again."))
}

/// Adds the checks. Earlier versions counted otherwise.
fn check(result: &RunResult, checks: &mut Checks) {
    if result.version < 3 {
        return;
    }
    checks.must("it says when it began", result.started_ms() != 0, format!("{:?}", result.started));
    seconds(result, checks);
    processes(result, checks);
    thresholds(result, checks);
    ledger(result, checks);
}

/// Consecutive seconds for the most transactions of a minute.
const MINUTE: usize = 60;

fn seconds(result: &RunResult, checks: &mut Checks) {
    let totals = &result.totals;
    let ended = totals.completed_in_window + totals.failed_in_window;
    checks.must(
        "all seconds of the run are there",
        ended == 0 || !result.seconds.is_empty(),
        format!("none, and {ended} transactions"),
    );
    if result.seconds.is_empty() {
        return;
    }
    let counts: Vec<u64> = result.seconds.iter().map(|second| second.completed).collect();
    let minutes = counts.windows(MINUTE.min(counts.len())).map(|minute| minute.iter().sum());
    let most = minutes.max().unwrap_or(0);
    checks.equal("the most of a minute is that of its seconds", totals.max_tpm, most);
    let users = result.seconds.iter().map(|second| second.users).max().unwrap_or(0);
    checks.must(
        "no second has more users than the load",
        users <= result.load.users,
        format!("{users} and {}", result.load.users),
    );
}

/// The parts are all of the load. A run that was killed has none.
fn processes(result: &RunResult, checks: &mut Checks) {
    let processes = &result.processes;
    if processes.is_empty() {
        return;
    }
    let users = processes.iter().map(|process| u64::from(process.users)).sum();
    checks.equal("the users of its processes sum to the load", users, result.load.users.into());
    let planned = result.load.layout.split('+').map(|part| {
        let (processes, _) = part.split_once('x')?;
        processes.parse::<u64>().ok()
    });
    let planned: Option<u64> = planned.sum();
    checks.must(
        "it has the processes of the layout",
        planned == Some(processes.len() as u64),
        format!("{} and {:?}", processes.len(), result.load.layout),
    );
    if processes.iter().any(|process| !process.finished) {
        return;
    }
    let unfinished = processes.iter().map(|process| process.unfinished).sum();
    checks.equal("unfinished by process sum to the total", unfinished, result.totals.unfinished);
    let rate: f64 = processes.iter().map(|process| process.tps).sum();
    checks.must(
        "the rates of its processes sum to the total",
        (rate - result.totals.tps).abs() <= ROUNDED * rate.max(1.0),
        format!("{rate} and {}", result.totals.tps),
    );
}

/// Thresholds are judged by the figures. A merged result has those of its parts, with their names.
fn thresholds(result: &RunResult, checks: &mut Checks) {
    if result.load.layout.contains('+') {
        return;
    }
    for stored in &result.thresholds {
        let judged = stored.rule.parse::<Rule>().map(|rule| rule.judge(result));
        let name = format!("the threshold {} is judged by its figures", stored.rule);
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDED * a.abs().max(1.0);
        let holds = judged.as_ref().is_ok_and(|judged| {
            let measured = match (judged.measured, stored.measured) {
                (Some(a), Some(b)) => near(a, b),
                (a, b) => a == b,
            };
            measured && (judged.passed, judged.at_least) == (stored.passed, stored.at_least)
        });
        checks.must(name, holds, format!("{stored:?} and {judged:?}"));
    }
}

/// Whether counts agree is said by the counts. Where a server may count more than the client knows of, more agree.
fn ledger(result: &RunResult, checks: &mut Checks) {
    for row in result.ledger.iter().flat_map(|ledger| &ledger.rows) {
        let LedgerRow { what, client, server, agrees } = row;
        let holds = row.is_close() == *agrees || *agrees && server > client;
        let name = format!("the counts of {what} are judged by their difference");
        checks.must(name, holds, format!("{client} and {server}, agrees: {agrees}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Example;

    /// The names of the failed checks.
    fn wrong(result: &RunResult) -> Vec<String> {
        let failed = consistent_file(result).into_iter().filter(|statement| !statement.holds);
        failed.map(|statement| format!("{} ({})", statement.name, statement.found)).collect()
    }

    /// A row that says that the server has committed as often.
    fn ledger_row(result: &mut RunResult) -> &mut LedgerRow {
        let row = &mut result.ledger.as_mut().unwrap().rows[0];
        row.client = row.server + 18_000;
        row
    }

    #[test]
    fn finds_every_inconsistency() {
        let right = Example::default().build();
        assert_eq!(wrong(&right), Vec::<String>::new());
        type Change = fn(&mut RunResult);
        let changes: [(Change, &str); 30] = [
            (|result| result.totals.ended_per_s += 1.0, "the rate of all"),
            (|result| result.totals.late += 1, "late are those"),
            (|result| result.processes[0].failed += 1, "failed by process"),
            (|result| result.seconds[3].failed += 1, "failed of every second"),
            (|result| result.window.measured_s = -1.0, "the window is a part of the run"),
            (|result| result.window.from_s = 60.0, "the window is a part of the run"),
            (
                |result| result.seconds.retain(|it| !(30..33).contains(&it.at_s)),
                "is in its seconds",
            ),
            (|result| result.failures[0].count += 1, "failures by message"),
            (|result| result.totals.offered = Some(7), "offered are completed"),
            (|result| result.totals.unfinished = 1, "offered are completed"),
            (|result| result.types[0].unfinished = 1, "as many as unfinished"),
            (|result| result.totals.completed += 1, "completed by type sum"),
            (|result| result.types[0].completed += 1, "as many as completed"),
            (|result| result.totals.tps *= 1.01, "the rate is"),
            (|result| result.totals.service.p90_us += 1, "percentiles are the histogram's"),
            (|result| result.types[0].service.p50_us = u64::MAX, "percentiles are in order"),
            (|result| result.seconds[3].completed += 1, "completed of every second"),
            (|result| result.seconds.truncate(20), "all that was measured is in the seconds"),
            (|result| result.seconds.clear(), "all seconds of the run"),
            (|result| result.totals.max_tpm = 1_000_000_000, "the most of a minute"),
            (|result| result.started = "yesterday".into(), "when it began"),
            (|result| result.load.users = 9, "users of its processes"),
            (|result| result.load.layout = "2x8".into(), "processes of the layout"),
            (|result| result.processes[0].unfinished = 3, "unfinished by process"),
            (|result| result.processes[0].tps *= 1.1, "rates of its processes"),
            (|result| result.seconds[9].users = 17, "no second has more users"),
            (|result| result.thresholds[0].passed = false, "the threshold p95<20ms"),
            (|result| result.thresholds[0].measured = Some(7.0), "the threshold p95<20ms"),
            (|result| result.thresholds[0].rule = "p95<1us".into(), "the threshold p95<1us"),
            (|result| ledger_row(result).server += 9_000, "counts of commits"),
        ];
        for (change, words) in changes {
            let mut result = right.clone();
            change(&mut result);
            let wrong = wrong(&result);
            assert!(wrong.iter().any(|name| name.contains(words)), "{words}: {wrong:?}");
            let error = refuse_contradictions(&result, "a.json").unwrap_err();
            let begin = "The result a.json contradicts itself. ";
            assert!(error.message.starts_with(begin), "{}", error.message);
            assert!(wrong.iter().all(|it| error.message.contains(it.split(" (").next().unwrap())));
        }
        refuse_contradictions(&right, "a.json").unwrap();
    }
}
