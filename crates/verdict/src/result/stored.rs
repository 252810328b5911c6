//! Checks of a result that was read from a file: that it has all that a run writes, and that its judgements are those of
//! its figures.

use super::consistent::{Checks, ROUNDED};
use super::{LedgerRow, RunResult};
use crate::threshold::Rule;

/// Adds the checks. Earlier versions counted otherwise.
pub(super) fn check(result: &RunResult, checks: &mut Checks) {
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
