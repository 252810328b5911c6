//! The summary of a result for a terminal, with the columns of charbench.

use std::fmt::Write as _;

use duet_verdict::result::{
    AgentResult, CheckRow, FailureRow, Figure, Percentiles, Reconnects, RunResult, needed,
};
use duet_verdict::text::{COLUMNS, counted, cut, duration, figure, seconds, short, wrap};

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
        writeln!(out, "\n{}", wrap(&format!("warning: {warning}"), COLUMNS, "  "))?;
    }
    Ok(())
}

fn heading(result: &RunResult, out: &mut String) -> std::fmt::Result {
    let (load, target) = (&result.load, &result.target);
    let what = format!(
        "{} on {} ({}, {})",
        result.workload, target.address, target.server, target.transport
    );
    let window = &result.window;
    let how = format!(
        "{}; {} measured{}; ended by {}",
        pressure(result),
        seconds(window.measured_s),
        match window.from_s {
            from if from > 0.0 => format!(" after {} of ramp and warm-up", seconds(from)),
            _ => String::new(),
        },
        window.ended_by
    );
    writeln!(out, "\n{}\n{}", wrap(&what, COLUMNS, "  "), wrap(&how, COLUMNS, "  "))?;
    let processes = result.processes.len();
    if processes > 1 && target.kind != "sqlite" {
        let text = format!(
            "Each process of a layout adds a client thread: {processes} here, 1 in {}.",
            format_args!("1x{}", load.users)
        );
        writeln!(out, "{}", wrap(&text, COLUMNS, "  "))?;
    }
    if !result.agents.is_empty() {
        writeln!(out, "{}", wrap(&agents(result), COLUMNS, "  "))?;
    }
    writeln!(out)
}

/// The agents that ran its processes, and how exactly they began together.
fn agents(result: &RunResult) -> String {
    let name = |agent: &AgentResult| {
        format!("{} ({})", agent.address, counted(agent.processes.len() as u64, "process"))
    };
    let names: Vec<String> = result.agents.iter().map(name).collect();
    let within = result.agents.iter().map(|agent| agent.clock_uncertainty_us).fold(0.0, f64::max);
    format!(
        "Agents: {}; they began within {} of each other.",
        names.join(", "),
        duration(within * 2.0)
    )
}

/// How it was loaded: `16 users in 4 processes (4x4)`, `166.67 arrivals/s (poisson), at most 128 at once`.
pub fn pressure(result: &RunResult) -> String {
    let load = &result.load;
    let layout = match result.processes.len() {
        0 | 1 => String::new(),
        count => format!(" in {} ({})", counted(count as u64, "process"), load.layout),
    };
    let users = counted(load.users.into(), "user");
    match (load.rate_per_s, &load.arrivals) {
        (Some(rate), Some(arrivals)) => {
            format!("{} arrivals/s ({arrivals}), at most {users}{layout}", short(rate))
        }
        _ => format!("{users}{layout}"),
    }
}

/// The most rows of failures that are shown.
const FAILURES: usize = 10;
/// The widest name of a transaction beside six columns.
const NAME: usize = COLUMNS - 6 * 8;

/// A row of both tables of times.
struct Row<'a> {
    name: &'a str,
    failed: u64,
    in_window: u64,
    times: &'a Percentiles,
}

/// Counts and extremes, then percentiles: side by side they exceed 80 columns.
fn times(result: &RunResult, out: &mut String) -> std::fmt::Result {
    let totals = &result.totals;
    let (failed, in_window) = (totals.failed, totals.completed_in_window);
    let ran = result.types.iter().filter(|row| row.completed + row.failed + row.unfinished > 0);
    let mut rows: Vec<Row<'_>> = ran
        .map(|kind| Row {
            name: &kind.name,
            failed: kind.failed,
            in_window: kind.completed_in_window,
            times: &kind.service,
        })
        .collect();
    rows.push(Row { name: "all", failed, in_window, times: &totals.service });
    if result.is_open() {
        let (name, times) = ("from the intended start", &totals.response);
        rows.push(Row { name, failed, in_window, times });
    }
    let heads = ["service time", "percentiles"];
    let names = rows.iter().map(|row| row.name).chain(heads).map(|name| name.chars().count());
    let width = names.max().unwrap_or(0).min(NAME);
    let line = |out: &mut String, name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>7}")).collect();
        writeln!(out, "{:<width$}{cells}", cut(name, width))
    };
    let seconds = result.window.measured_s;
    line(out, heads[0], &["count", "failed", "/s", "avg", "min", "max"].map(str::to_owned))?;
    for row in &rows {
        let per_s = if seconds > 0.0 { row.in_window as f64 / seconds } else { 0.0 };
        line(out, row.name, &counts(row, per_s))?;
    }
    writeln!(out)?;
    line(out, heads[1], &["med", "p90", "p95", "p99", "p99.9"].map(str::to_owned))?;
    rows.iter().try_for_each(|row| line(out, row.name, &percentiles(row.times)))
}

fn counts(row: &Row<'_>, per_s: f64) -> [String; 6] {
    let times = row.times;
    let known = |text: String| if times.count == 0 { "n/a".into() } else { text };
    [
        (times.count - times.unfinished).to_string(),
        row.failed.to_string(),
        figure(per_s),
        known(least(duration(times.mean_us), times.unfinished > 0)),
        known(time(times, times.min_us)),
        known(time(times, times.max_us)),
    ]
}

/// Each percentile with at least ten samples beyond it.
fn percentiles(times: &Percentiles) -> [String; 5] {
    let known = |quantile: f64, micros: Option<u64>| {
        let micros = micros.filter(|_| times.count >= needed(quantile));
        micros.map_or_else(|| "n/a".into(), |micros| time(times, micros))
    };
    [
        known(0.5, Some(times.p50_us)),
        known(0.9, Some(times.p90_us)),
        known(0.95, Some(times.p95_us)),
        known(0.99, times.p99_us),
        known(0.999, times.p99_9_us),
    ]
}

/// One of these figures with its unit, marked if it is a lower bound.
pub fn time(times: &Percentiles, micros: u64) -> String {
    least(duration(micros as f64), times.is_bound(micros))
}

/// A figure, marked if it is a lower bound.
fn least(text: String, is_bound: bool) -> String {
    if is_bound { format!("≥{text}") } else { text }
}

/// The seconds of a minute: a rate per minute of a shorter run is extrapolated.
pub const MINUTE_S: f64 = 60.0;

/// The row of transactions per minute. A run of less than a minute has no maximum.
fn per_minute(result: &RunResult) -> (&'static str, String) {
    match result.window.measured_s >= MINUTE_S {
        true => ("Maximum Transactions/min", result.totals.max_tpm.to_string()),
        false => {
            let rate = format!("{:.0}", result.totals.tps * MINUTE_S);
            ("Transactions/min, extrapolated", rate)
        }
    }
}

/// The outcome of a transaction that was repeated after a conflict, and completed.
const RETRIED: &str = "retried";

fn overall(result: &RunResult, out: &mut String) -> std::fmt::Result {
    let totals = &result.totals;
    let mut rows = vec![
        per_minute(result),
        ("Average Transactions/sec", format!("{:.2}", totals.tps)),
        ("Completed Transactions", totals.completed.to_string()),
        ("Failed Transactions", totals.failed.to_string()),
        ("Total Logon Time", duration(result.window.logon_s * 1e6)),
    ];
    if let Some(retried) = result.totals.outcomes.get(RETRIED) {
        rows.insert(3, ("Retried after Conflicts", retried.to_string()));
    }
    let figures = result.figures.iter();
    rows.splice(2..2, figures.map(|figure| (figure.name.as_str(), figure_text(figure))));
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
        let text = format!(
            "{offered} offered, {} late by the client, {} by the server, {} unfinished, {} unsent",
            totals.late_by_client, totals.late_by_server, totals.unfinished, totals.unsent
        );
        rows.push(("Arrivals", text));
    } else if totals.unfinished > 0 {
        rows.push(("Unfinished Transactions", totals.unfinished.to_string()));
    }
    rows.extend(wire(result).map(|text| ("Per transaction", text)));
    rows.extend(reconnects(result).map(|text| ("Reconnects", text)));
    let client = &result.client;
    let known = |text: String| result.lost_figures().map_or(text, str::to_owned);
    let cpu = format!("{:.1} µs per transaction", client.cpu_us_per_transaction);
    rows.push(("Client Processor Time", known(cpu)));
    let busiest = format!("{:.0} %", client.busiest_share * 100.0);
    rows.push(("Client's Busiest Second", known(busiest)));
    rows.push(("Client Memory", known(format!("{:.0} MB", client.memory_mb))));
    boxed(&rows, out)
}

/// Reconnects; `None` without any.
pub fn reconnects(result: &RunResult) -> Option<String> {
    let Reconnects { opened, failed, connecting_s, backing_off_s } = result.totals.reconnects;
    (opened + failed > 0).then(|| {
        let [connecting, backing_off] = [connecting_s, backing_off_s].map(|it| duration(it * 1e6));
        format!("{opened}, {failed} failed; {connecting} connecting, {backing_off} backing off")
    })
}

/// Bytes and round trips of a transaction; `None` if they were not counted.
pub fn wire(result: &RunResult) -> Option<String> {
    if let Some(lost) = result.lost_figures() {
        return Some(lost.to_owned());
    }
    let totals = &result.totals;
    let each = |sum: u64| sum as f64 / (totals.completed + totals.failed).max(1) as f64;
    match totals.round_trips {
        0 if result.target.transport == "in process" && result.target.kind == "sqlite" => {
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

/// A figure of the workload's own, with its unit.
pub fn figure_text(figure: &Figure) -> String {
    format!("{:.2} {}", figure.value, figure.unit).trim_end().to_owned()
}

/// Two columns with borders; scripts look for `|label | value |`. A value that is too wide
/// continues in the next line.
fn boxed(rows: &[(&str, String)], out: &mut String) -> std::fmt::Result {
    let width = |text: &str| text.chars().count();
    let left = rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let most = COLUMNS.saturating_sub(left + 6);
    let lines: Vec<(&str, String)> = rows
        .iter()
        .flat_map(|(label, value)| {
            let value = wrap(value, most, "");
            let lines: Vec<String> = value.lines().map(str::to_owned).collect();
            let labels = std::iter::once(*label).chain(std::iter::repeat(""));
            labels.zip(lines).collect::<Vec<_>>()
        })
        .collect();
    let right = lines.iter().map(|(_, value)| width(value)).max().unwrap_or(0);
    let line = format!("+{}+{}+", "-".repeat(left + 1), "-".repeat(right + 2));
    writeln!(out, "\n{line}")?;
    for (label, value) in lines {
        writeln!(out, "|{label:<left$} | {value:>right$} |")?;
    }
    writeln!(out, "{line}")
}

fn checks(result: &RunResult, out: &mut String) -> std::fmt::Result {
    if !result.checks.is_empty() {
        writeln!(out)?;
    }
    let mut line = |held: bool, text: String| {
        let sign = if held { '✓' } else { '✗' };
        writeln!(out, "{}", wrap(&format!("{sign} {text}"), COLUMNS, "  "))
    };
    for check in result.checks.iter().filter(|check| check.was_made()) {
        line(check.failed + check.failed_outside == 0, check_text(check))?;
    }
    for row in result.ledger.iter().flat_map(|ledger| &ledger.rows) {
        let text = format!(
            "ledger of the whole run: {} {} here, {} at the server",
            row.what, row.client, row.server
        );
        line(row.agrees, text)?;
    }
    for row in &result.invariants {
        line(row.passed, format!("{}: {}", row.name, row.found))?;
    }
    result
        .thresholds
        .iter()
        .try_for_each(|row| line(row.passed, format!("{}: {}", row.rule, row.outcome_text())))
}

/// A check, with how many of its responses failed.
fn check_text(check: &CheckRow) -> String {
    let of = |failed: u64, passed: u64| format!("{failed} of {} failed", failed + passed);
    let outside = of(check.failed_outside, check.passed_outside);
    match (check.failed, check.failed_outside) {
        (0, 0) => check.name.clone(),
        (failed, 0) => format!("{}: {}", check.name, of(failed, check.passed)),
        (0, _) => format!("{}: outside of the measured time {outside}", check.name),
        (failed, _) => {
            let inside = of(failed, check.passed);
            format!("{}: {inside}; outside of the measured time {outside}", check.name)
        }
    }
}

/// What failed, in the measured time and outside of it.
fn failures(result: &RunResult, out: &mut String) -> std::fmt::Result {
    failure_rows("failures", result, |row| row.count, out)?;
    failure_rows("failures outside of the measured time", result, |row| row.outside, out)
}

fn failure_rows(
    title: &str,
    result: &RunResult,
    count: fn(&FailureRow) -> u64,
    out: &mut String,
) -> std::fmt::Result {
    let mut rows: Vec<_> = result.failures.iter().filter(|row| count(row) > 0).collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by_key(|row| std::cmp::Reverse(count(row)));
    writeln!(out, "\n{title}")?;
    let (first, others) = rows.split_at(rows.len().min(FAILURES));
    for row in first {
        let text =
            format!("{:>9} {} in {}: {}", count(row), row.outcome, row.transaction, row.message);
        writeln!(out, "{}", wrap(&text, COLUMNS, "          "))?;
    }
    match others {
        [] => Ok(()),
        others => {
            let sum: u64 = others.iter().map(|row| count(row)).sum();
            writeln!(out, "{sum:>9} in {} more rows: see the result", others.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::{Ledger, LedgerRow, TypeResult};

    use super::*;

    #[test]
    fn lengths_have_three_digits() {
        let text = [0.0, 7.0, 42.3, 999.0, 1500.0, 45_000.0, 2_000_000.0].map(duration);
        assert_eq!(text, ["0.00µs", "7.00µs", "42.3µs", "999µs", "1.50ms", "45.0ms", "2.00s"]);
    }

    /// Commits of the ledger are those of transactions and of single statements, over the whole
    /// run.
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

    fn example() -> RunResult {
        let mut result = RunResult { workload: "rest".into(), ..RunResult::default() };
        result.totals.max_tpm = 87_636;
        result.totals.tps = 1409.73;
        result.window.measured_s = 60.0;
        result.types =
            vec![TypeResult { name: "Get".into(), completed: 1, ..TypeResult::default() }];
        result
    }

    #[test]
    fn scripts_find_their_labels() {
        let mut result = example();
        result.figures = vec![Figure::new("Think-time ceiling", 1600.0, "TPS")];
        assert_eq!(reconnects(&result), None);
        result.totals.reconnects =
            Reconnects { opened: 12, failed: 3, connecting_s: 0.0015, backing_off_s: 0.07 };
        let text = summary(&result);
        for part in [" 12, 3 failed; 1.50ms connecting, 70.0ms", " off |"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("|Think-time ceiling") && text.contains(" 1600.00 TPS |"), "{text}");
        assert!(text.contains("|Maximum Transactions/min | "), "{text}");
        assert!(text.contains(" 87636 |") && text.contains(" 1409.73 |"), "{text}");
    }

    /// What failed during the warm-up is not mixed with what failed in the measured time.
    #[test]
    fn the_measured_time_is_told_apart() {
        let mut result = example();
        let row = |message: &str, [count, outside]: [u64; 2]| FailureRow {
            transaction: "Get".into(),
            outcome: "check".into(),
            message: message.into(),
            count,
            outside,
        };
        result.failures = vec![row("it is 503", [2, 7]), row("it is 404", [0, 9])];
        let check = |name: &str, [failed, failed_outside]: [u64; 2]| CheckRow {
            name: name.into(),
            passed: 10,
            failed,
            passed_outside: 20,
            failed_outside,
            ..CheckRow::default()
        };
        result.checks = vec![check("a", [1, 0]), check("b", [0, 2]), check("c", [3, 4])];
        let text = summary(&result);
        for part in [
            "✗ a: 1 of 11 failed\n",
            "✗ b: outside of the measured time 2 of 22 failed\n",
            "✗ c: 3 of 13 failed; outside of the measured time 4 of 24 failed\n",
            "\nfailures\n        2 check in Get: it is 503\n\nfailures outside of the measured time\n",
            "        9 check in Get: it is 404\n        7 check in Get: it is 503\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// Conflicts are no failures, and are counted apart.
    #[test]
    fn conflicts_have_a_row() {
        let mut result = example();
        assert!(!summary(&result).contains("Conflicts"));
        result.totals.outcomes.insert("retried".into(), 7);
        let text = summary(&result);
        let row = text.lines().find(|line| line.starts_with("|Retried after Conflicts "));
        assert!(row.is_some_and(|row| row.ends_with(" 7 |")), "{text}");
    }

    /// The maximum of three seconds is not a rate per minute.
    #[test]
    fn less_than_a_minute_has_no_maximum() {
        let mut result = example();
        result.window.measured_s = 3.0;
        let text = summary(&result);
        assert!(!text.contains("Maximum Transactions/min") && !text.contains("87636"), "{text}");
        assert!(text.contains("|Transactions/min, extrapolated | "), "{text}");
        assert!(text.contains(" 84584 |"), "{text}");
    }

    #[test]
    fn how_it_was_loaded() {
        let mut result = example();
        result.load.users = 1;
        assert_eq!(pressure(&result), "1 user");
        (result.load.users, result.load.layout) = (16, "4x4".into());
        result.processes = vec![duet_verdict::result::ProcessResult::default(); 4];
        assert_eq!(pressure(&result), "16 users in 4 processes (4x4)");
        let text = summary(&result);
        let note = "Each process of a layout adds a client thread: 4 here, 1 in 1x16.\n";
        assert!(text.contains(note), "{text}");
        result.load.rate_per_s = Some(500.0 / 3.0);
        result.load.arrivals = Some("poisson".into());
        assert!(pressure(&result).starts_with("166.67 arrivals/s (poisson), at most 16 users"));
        result.window.from_s = 2.0;
        result.window.measured_s = 3.0;
        result.window.total_s = 5.0;
        let text = summary(&result);
        let text = text.replace("\n  ", " ");
        assert!(text.contains("3 s measured after 2 s of ramp and warm-up"), "{text}");
        result.window.from_s = 0.000_25;
        result.window.measured_s = 0.0031;
        let text = summary(&result).replace("\n  ", " ");
        assert!(text.contains("3.1 ms measured after 250 µs of ramp and warm-up"), "{text}");
    }

    #[test]
    fn names_are_cut_where_there_is_no_room_alone() {
        let mut result = example();
        result.types[0].name = "Update customer details, by phone".into();
        result.types[0].completed = 15;
        result.types[0].service = Percentiles { count: 15, p50_us: 9, ..Percentiles::default() };
        let text = summary(&result);
        assert!(text.contains("\nUpdate customer details, by pho… "), "{text}");
        let percentiles = text.lines().filter(|line| line.starts_with("Update")).nth(1).unwrap();
        assert!(!percentiles.contains("9.00µs") && percentiles.contains("n/a"), "{percentiles}");
    }

    /// What the spool of a killed run lacks is no 0.
    #[test]
    fn figures_that_are_lost_are_not_known() {
        let mut result = crate::example::Example::default().build();
        result.window.ended_by = duet_verdict::result::KILLED.into();
        result.client = duet_verdict::result::ClientHealth::default();
        (result.totals.round_trips, result.totals.sent_bytes) = (0, 0);
        let text = summary(&result);
        for label in
            ["Per transaction", "Client Processor Time", "Client's Busiest Second", "Client Memory"]
        {
            let line = text.lines().find(|line| line.starts_with(&format!("|{label}")));
            assert!(line.is_some_and(|it| it.contains("not known: the run was killed")), "{text}");
        }
        let csv = crate::export::types_csv(&result);
        assert!(csv.lines().skip(1).all(|line| line.ends_with(",,")), "{csv}");
        let k6 = crate::export::summary(&result);
        assert!(!k6.contains("data_sent") && k6.contains("iterations"), "{k6}");
        let jmeter = crate::export::statistics(&result);
        assert!(jmeter.contains("\"sentKBytesPerSec\": null"), "{jmeter}");
    }

    /// Every line of a summary fits into 80 columns.
    #[test]
    fn it_fits_a_terminal() {
        let mut result = crate::example::Example::default().build();
        result.load.users = 16;
        result.target.transport = "tcp".into();
        result.thresholds[0].why = "nothing was measured of it ".repeat(9);
        result.thresholds[0].measured = None;
        result.warnings.push("others used the machine while this was measured ".repeat(5));
        result.failures[0].message = "the server said a lot about it ".repeat(5);
        result.types[0].name = "New customer registration by telephone".into();
        result.totals.received_bytes = 123_456_789_012;
        let text = summary(&result);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(COLUMNS), "{text}");
    }
}
