//! The end of a run, told on a terminal in the columns that people know.

use std::fmt::Write as _;

use crate::result::{Figure, Percentiles, Reconnects, RunResult};

/// The text of a result.
pub fn summary(result: &RunResult) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(result, &mut text);
    text
}

fn write(result: &RunResult, out: &mut String) -> std::fmt::Result {
    heading(result, out)?;
    times(result, out)?;
    overall(result, out)?;
    checks(result, out)?;
    failures(result, out)?;
    for warning in &result.warnings {
        writeln!(out, "\nwarning: {warning}")?;
    }
    Ok(())
}

fn heading(result: &RunResult, out: &mut String) -> std::fmt::Result {
    let load = &result.load;
    let offered = match (load.rate_per_s, &load.arrivals) {
        (Some(rate), Some(arrivals)) => format!(", {rate} arrivals/s ({arrivals})"),
        _ => String::new(),
    };
    writeln!(
        out,
        "\n{} on {} ({}, {})\n{} users as {}{offered}; measured {:.1} s of {:.0} s, ended by {}\n",
        result.workload,
        result.target.address,
        result.target.server,
        result.target.transport,
        load.users,
        load.layout,
        result.window.measured_s,
        result.window.total_s,
        result.window.ended_by
    )
}

/// As many rows of failures are told.
const FAILURES: usize = 10;
/// The widest name of a transaction that a line holds.
const NAME: usize = 24;

fn times(result: &RunResult, out: &mut String) -> std::fmt::Result {
    write!(out, "{:<NAME$}", "service time")?;
    for column in
        ["count", "failed", "avg", "min", "med", "max", "p90", "p95", "p99", "p99.9", " /s"]
    {
        write!(out, " {column:>7}")?;
    }
    writeln!(out)?;
    let measured = result.window.measured_s;
    for row in result.types.iter().filter(|row| row.completed + row.failed + row.unfinished > 0) {
        time_row(out, &row.name, [row.failed, row.completed_in_window], &row.service, measured)?;
    }
    let totals = &result.totals;
    let counts = [totals.failed, totals.completed_in_window];
    time_row(out, "all", counts, &totals.service, measured)?;
    if result.load.model == "open" {
        time_row(out, "from the intended start", counts, &totals.response, measured)?;
    }
    Ok(())
}

fn time_row(
    out: &mut String,
    name: &str,
    [failed, in_window]: [u64; 2],
    times: &Percentiles,
    measured_s: f64,
) -> std::fmt::Result {
    let name: String = name.chars().take(NAME).collect();
    let mean = least(duration(times.mean_us), times.unfinished > 0);
    let ended = times.count - times.unfinished;
    write!(out, "{name:<NAME$} {ended:>7} {failed:>7} {mean:>7}")?;
    for micros in [times.min_us, times.p50_us, times.max_us, times.p90_us, times.p95_us] {
        write!(out, " {:>7}", time(times, micros))?;
    }
    for micros in [times.p99_us, times.p99_9_us] {
        let told = micros.map_or_else(|| "n/a".into(), |micros| time(times, micros));
        write!(out, " {told:>7}")?;
    }
    let rate = if measured_s > 0.0 { in_window as f64 / measured_s } else { 0.0 };
    writeln!(out, " {rate:>8.1}")
}

/// One of these figures with its unit, and a sign where it is a lower bound.
pub fn time(times: &Percentiles, micros: u64) -> String {
    least(duration(micros as f64), times.is_bound(micros))
}

/// A figure with a sign where it is a lower bound.
fn least(text: String, is_bound: bool) -> String {
    if is_bound { format!("≥{text}") } else { text }
}

/// A length of microseconds with three digits and its unit.
pub fn duration(micros: f64) -> String {
    let (value, unit) = match micros {
        micros if micros >= 1e6 => (micros / 1e6, "s"),
        micros if micros >= 1e3 => (micros / 1e3, "ms"),
        _ => (micros, "µs"),
    };
    let decimals = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{unit}")
}

fn overall(result: &RunResult, out: &mut String) -> std::fmt::Result {
    let totals = &result.totals;
    let mut rows = vec![
        ("Maximum Transactions/min", totals.max_tpm.to_string()),
        ("Average Transactions/sec", format!("{:.2}", totals.tps)),
        ("Completed Transactions", totals.completed.to_string()),
        ("Failed Transactions", totals.failed.to_string()),
        ("Total Logon Time", duration(result.window.logon_s * 1e6)),
    ];
    let figures = result.figures.iter();
    rows.splice(2..2, figures.map(|figure| (figure.name.as_str(), told(figure))));
    let dml = &totals.dml;
    let statements = [
        ("Select Statements", dml.selects),
        ("Insert Statements", dml.inserts),
        ("Update Statements", dml.updates),
        ("Delete Statements", dml.deletes),
        ("Commit Statements", dml.commits),
        ("Rollback Statements", dml.rollbacks),
        // The ledger counts these as commits too.
        ("Statements outside of transactions", totals.implicit_commits),
    ];
    rows.extend(statements.iter().filter(|(_, n)| *n > 0).map(|(name, n)| (*name, n.to_string())));
    if let Some(offered) = totals.offered.filter(|_| result.is_open()) {
        let told = format!(
            "{offered} offered, {} late by the client, {} by the server, {} unfinished, {} unsent",
            totals.late_by_client, totals.late_by_server, totals.unfinished, totals.unsent
        );
        rows.push(("Arrivals", told));
    } else if totals.unfinished > 0 {
        rows.push(("Unfinished Transactions", totals.unfinished.to_string()));
    }
    rows.extend(wire(result).map(|told| ("Per transaction", told)));
    rows.extend(reconnects(result).map(|told| ("Reconnects", told)));
    let client = &result.client;
    rows.push((
        "Measuring side",
        format!(
            "{:.1} µs of processor per transaction, busiest second {:.0} %, {:.0} MB",
            client.cpu_us_per_transaction,
            client.busiest_share * 100.0,
            client.memory_mb
        ),
    ));
    boxed(&rows, out)
}

/// Connections that users opened anew; `None` where they kept theirs.
pub fn reconnects(result: &RunResult) -> Option<String> {
    let Reconnects { opened, failed, connecting_s, backing_off_s } = result.totals.reconnects;
    (opened + failed > 0).then(|| {
        let [connecting, backing_off] = [connecting_s, backing_off_s].map(|it| duration(it * 1e6));
        format!("{opened}, {failed} failed; {connecting} connecting, {backing_off} backing off")
    })
}

/// What a transaction sends over the wire and takes from it; `None` where nobody counted.
pub fn wire(result: &RunResult) -> Option<String> {
    let totals = &result.totals;
    let each = |sum: u64| sum as f64 / (totals.completed + totals.failed).max(1) as f64;
    match totals.round_trips {
        0 if result.target.transport == "in process" => {
            Some("no wire: the database runs in this process".into())
        }
        0 => None,
        trips => Some(format!(
            "{:.1} round trips, {:.0} bytes sent, {:.0} received",
            each(trips),
            each(totals.sent_bytes),
            each(totals.received_bytes)
        )),
    }
}

fn told(figure: &Figure) -> String {
    format!("{:.2} {}", figure.value, figure.unit).trim_end().to_owned()
}

/// Two columns with lines around them; scripts look for `|label | value |`.
fn boxed(rows: &[(&str, String)], out: &mut String) -> std::fmt::Result {
    let width = |text: &str| text.chars().count();
    let left = rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let right = rows.iter().map(|(_, value)| width(value)).max().unwrap_or(0);
    let line = format!("+{}+{}+", "-".repeat(left + 1), "-".repeat(right + 2));
    writeln!(out, "\n{line}")?;
    for (label, value) in rows {
        writeln!(out, "|{label:<left$} | {value:>right$} |")?;
    }
    writeln!(out, "{line}")
}

fn checks(result: &RunResult, out: &mut String) -> std::fmt::Result {
    if !result.checks.is_empty() {
        writeln!(out)?;
    }
    for check in result.checks.iter().filter(|check| check.passed + check.failed > 0) {
        match check.failed {
            0 => writeln!(out, "✓ {}", check.name)?,
            failed => writeln!(out, "✗ {}: {failed} of {}", check.name, check.passed + failed)?,
        }
    }
    if let Some(ledger) = &result.ledger {
        for row in &ledger.rows {
            let sign = if row.agrees { '✓' } else { '✗' };
            writeln!(
                out,
                "{sign} ledger of the whole run: {} {} here, {} at the server",
                row.what, row.client, row.server
            )?;
        }
    }
    for row in &result.invariants {
        writeln!(out, "{} {}: {}", if row.passed { '✓' } else { '✗' }, row.name, row.found)?;
    }
    for row in &result.thresholds {
        writeln!(out, "{} {}: {}", if row.passed { '✓' } else { '✗' }, row.rule, row.told())?;
    }
    Ok(())
}

fn failures(result: &RunResult, out: &mut String) -> std::fmt::Result {
    if result.failures.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nfailures")?;
    let (first, others) = result.failures.split_at(result.failures.len().min(FAILURES));
    for row in first {
        writeln!(out, "{:>9} {} in {}: {}", row.count, row.outcome, row.transaction, row.said)?;
    }
    match others {
        [] => Ok(()),
        others => {
            let count: u64 = others.iter().map(|row| row.count).sum();
            writeln!(out, "{count:>9} in {} more rows: see the result", others.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Ledger, LedgerRow, TypeResult};

    #[test]
    fn lengths_have_three_digits() {
        let told = [0.0, 7.0, 42.3, 999.0, 1500.0, 45_000.0, 2_000_000.0].map(duration);
        assert_eq!(told, ["0.00µs", "7.00µs", "42.3µs", "999µs", "1.50ms", "45.0ms", "2.00s"]);
    }

    /// Commits of the ledger are those of transactions and of single statements, over the whole run.
    #[test]
    fn the_ledger_says_what_it_counts() {
        let mut result = RunResult { workload: "rest".into(), ..RunResult::default() };
        result.totals.dml.commits = 4_836;
        result.totals.implicit_commits = 57_100;
        let row =
            LedgerRow { what: "commits".into(), client: 61_981, server: 61_990, agrees: true };
        result.ledger = Some(Ledger { rows: vec![row], balanced: true });
        let text = summary(&result);
        let lines = [
            "|Commit Statements                  |   ",
            "|Statements outside of transactions |  ",
            "✓ ledger of the whole run: commits 61981 here, 61990 at the server",
        ];
        assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    }

    #[test]
    fn scripts_find_their_labels() {
        let mut result = RunResult { workload: "rest".into(), ..RunResult::default() };
        result.totals.max_tpm = 87_636;
        result.totals.tps = 1409.73;
        result.types =
            vec![TypeResult { name: "Get".into(), completed: 1, ..TypeResult::default() }];
        result.figures = vec![Figure::new("Think-time ceiling", 1600.0, "TPS")];
        assert_eq!(reconnects(&result), None);
        result.totals.reconnects =
            Reconnects { opened: 12, failed: 3, connecting_s: 0.0015, backing_off_s: 0.07 };
        let text = summary(&result);
        assert!(text.contains(" 12, 3 failed; 1.50ms connecting, 70.0ms backing off |"), "{text}");
        assert!(text.contains("|Think-time ceiling") && text.contains(" 1600.00 TPS |"), "{text}");
        assert!(text.contains("|Maximum Transactions/min | "), "{text}");
        assert!(text.contains(" 87636 |") && text.contains(" 1409.73 |"), "{text}");
    }
}
