//! The tables of a result: headline figures, types, findings, settings.

use std::collections::BTreeMap;

use duet_verdict::compare::seconds_of;
use duet_verdict::judge::Estimate;
use duet_verdict::result::{Percentiles, RunResult, TypeResult};
use duet_verdict::text::{figure, seconds, short};

use super::page::{Block, Card, Cell, Page};
use crate::summary::{MINUTE_S, reconnects, wire};

/// The primary times: response times of an open run, service times of a closed one.
pub(super) fn times(result: &RunResult) -> &Percentiles {
    if result.is_open() { &result.totals.response } else { &result.totals.service }
}

pub(super) fn ms(micros: u64) -> String {
    figure(micros as f64 / 1e3)
}

pub(super) fn maybe_ms(micros: Option<u64>) -> String {
    micros.map_or_else(|| "n/a".into(), ms)
}

/// The headline figures, with their intervals within the run.
pub(super) fn cards(page: &mut Page, result: &RunResult) {
    let per_s: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
    let rate = Estimate::of_seconds(&per_s).map(|estimate| estimate.interval(0.95));
    let seconds = seconds_of(result);
    let times = times(result);
    let percentile = |quantile: f64| seconds.interval(quantile).map(|it| it.map(|us| us / 1e3));
    let mut cards = Vec::new();
    let mut card = |value: &str, name: &str, interval| cards.push(card(value, name, interval));
    card(&figure(result.totals.tps), "transactions/s", rate);
    card(&format!("{} ms", ms(times.p50_us)), "median", percentile(0.5));
    card(&format!("{} ms", ms(times.p95_us)), "p95", percentile(0.95));
    let p99 = times.p99_us.map(|_| percentile(0.99)).unwrap_or_default();
    let p99_text = times.p99_us.map_or_else(|| "n/a".into(), |us| format!("{} ms", ms(us)));
    card(&p99_text, "p99", p99);
    card(&figure(result.totals.completed as f64), "completed", None);
    let failed = figure_of_count(result.totals.failed);
    card(&failed, &format!("failed ({:.2} %)", result.failed_share() * 100.0), None);
    if let Some(offered) = result.totals.offered {
        card(&figure_of_count(offered), "offered", None);
        card(&figure_of_count(result.totals.unsent), "never begun", None);
    }
    // A run of less than a minute has no maximum per minute.
    if result.window.measured_s >= MINUTE_S {
        card(&figure_of_count(result.totals.max_tpm), "most in a minute", None);
    }
    page.add(Block::Cards(cards));
    let text = [("Per transaction", wire(result)), ("Reconnects", reconnects(result))];
    for (what, text) in text.into_iter().filter_map(|(what, text)| Some((what, text?))) {
        page.soft(format!("{what}: {text}."));
    }
}

fn figure_of_count(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { figure(count as f64) }
}

fn card(value: &str, name: &str, interval: Option<[f64; 2]>) -> Card {
    let interval = interval
        .filter(|it| it.iter().all(|end| end.is_finite()))
        .map_or_else(String::new, |[low, high]| format!("{} to {}", figure(low), figure(high)));
    Card { value: value.to_owned(), name: name.to_owned(), interval }
}

/// A row per type, and their total.
pub(super) fn types(page: &mut Page, result: &RunResult) {
    page.heading("Types of transactions");
    let mut text = "Times in milliseconds.".to_owned();
    if result.load.mix.len() > 1 && !result.is_open() {
        text.push_str(
            " Types share the users' loops: the throughput of one follows from the mix and says \
             nothing of its own.",
        );
    }
    page.soft(text);
    let head = [
        "",
        "avg",
        "min",
        "med",
        "max",
        "p90",
        "p95",
        "p99",
        "p99.9",
        "/s",
        "completed",
        "failed",
        "unfinished",
    ];
    // Types outside of the mix have no figures.
    let ran = result.types.iter().filter(|kind| kind.completed + kind.failed + kind.unfinished > 0);
    let mut rows: Vec<Vec<Cell>> = ran.map(|kind| type_row(result, kind)).collect();
    let totals = &result.totals;
    let all = TypeResult {
        name: "all".into(),
        completed: totals.completed,
        failed: totals.failed,
        unfinished: totals.unfinished,
        completed_in_window: totals.completed_in_window,
        service: totals.service,
        response: totals.response,
        ..TypeResult::default()
    };
    rows.push(type_row(result, &all));
    page.table(&head, rows);
}

fn least(text: String, is_bound: bool) -> String {
    if is_bound { format!("≥ {text}") } else { text }
}

fn type_row(result: &RunResult, kind: &TypeResult) -> Vec<Cell> {
    let times = if result.is_open() { &kind.response } else { &kind.service };
    let seconds = result.window.measured_s;
    let per_s = if seconds > 0.0 { kind.completed_in_window as f64 / seconds } else { 0.0 };
    // Unfinished ones took at least their known time.
    let ms = |micros: u64| least(ms(micros), times.is_bound(micros));
    let maybe_ms = |micros: Option<u64>| micros.map_or_else(|| maybe_ms(None), ms);
    let cells = [
        least(figure(times.mean_us / 1e3), times.unfinished > 0),
        ms(times.min_us),
        ms(times.p50_us),
        ms(times.max_us),
        ms(times.p90_us),
        ms(times.p95_us),
        maybe_ms(times.p99_us),
        maybe_ms(times.p99_9_us),
        figure(per_s),
        figure_of_count(kind.completed),
        figure_of_count(kind.failed),
        figure_of_count(kind.unfinished),
    ];
    let cells = cells.iter().map(|text| Cell::of(text));
    std::iter::once(Cell::of(&kind.name)).chain(cells).collect()
}

/// Thresholds, failures, checks, ledger, invariants, processes: each if present.
pub(super) fn findings(page: &mut Page, result: &RunResult) {
    let mut table = |title: &str, head: &[&str], rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            page.heading(title);
            page.table(head, rows);
        }
    };
    let rows = result
        .thresholds
        .iter()
        .map(|it| vec![Cell::of(&it.rule), Cell::of(&it.outcome_text()), Cell::held(it.passed)]);
    table("Limits", &["limit", "measured", "held"], rows.collect());
    let rows = result.failures.iter().filter(|row| row.count > 0).map(|row| {
        let count = Cell::of(&figure_of_count(row.count));
        vec![Cell::of(&row.transaction), Cell::of(&row.outcome), count, Cell::words(&row.message)]
    });
    table("Failures", &["type", "outcome", "count", "the server said"], rows.collect());
    let rows = result.checks.iter().map(|row| {
        let counts = [row.passed, row.failed].map(|count| Cell::of(&figure_of_count(count)));
        let mut cells = vec![Cell::of(&row.name)];
        cells.extend(counts);
        cells.push(match row.passed + row.failed {
            0 => Cell::of("never made"),
            _ => Cell::held(row.failed == 0),
        });
        cells
    });
    table("Checks", &["check", "passed", "failed", "all passed"], rows.collect());
    let ledger = result.ledger.iter().flat_map(|ledger| &ledger.rows).map(|row| {
        let counts = [row.client, row.server].map(|count| Cell::of(&figure_of_count(count)));
        let mut cells = vec![Cell::of(&row.what)];
        cells.extend(counts);
        cells.push(Cell::held(row.agrees));
        cells
    });
    table("Ledger", &["counted", "by the client", "by the server", "agree"], ledger.collect());
    let rows = result
        .invariants
        .iter()
        .map(|it| vec![Cell::of(&it.name), Cell::held(it.passed), Cell::words(&it.found)]);
    table("Data after the run", &["statement", "holds", "found"], rows.collect());
    let waits = result.waits.iter();
    let rows = waits.map(|(name, value)| vec![Cell::of(name), Cell::of(&format!("{value:.2}"))]);
    table("Waits", &["class", "average active sessions"], rows.collect());
    if result.processes.len() > 1 {
        table(
            "Processes",
            &["process", "users", "completed", "failed", "/s", "p95 ms", "CPU s", "to the end"],
            processes(result),
        );
    }
}

fn processes(result: &RunResult) -> Vec<Vec<Cell>> {
    let row = |it: &duet_verdict::result::ProcessResult| {
        vec![
            Cell::of(&it.index.to_string()),
            Cell::of(&it.users.to_string()),
            Cell::of(&figure_of_count(it.completed)),
            Cell::of(&figure_of_count(it.failed)),
            Cell::of(&figure(it.tps)),
            Cell::of(&ms(it.p95_us)),
            Cell::of(&figure(it.cpu_s)),
            Cell::held(it.finished),
        ]
    };
    result.processes.iter().map(row).collect()
}

/// Names with their values.
type Facts = Vec<(String, String)>;

/// The environment and options of the run.
pub(super) fn settings(page: &mut Page, result: &RunResult) {
    let (load, target, host) = (&result.load, &result.target, &result.host);
    let span = |span: [f64; 2]| {
        if span[1] > 0.0 { format!("{} to {} ms", span[0], span[1]) } else { "none".to_owned() }
    };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    page.heading("Settings");
    let facts = vec![
        fact("workload", result.workload.clone()),
        fact("load", format!("{} {}", load.model, load.arrivals.clone().unwrap_or_default())),
        fact("users", format!("{} ({})", load.users, load.layout)),
        fact("rate", load.rate_per_s.map_or_else(String::new, |rate| format!("{}/s", short(rate)))),
        fact("think time", span(load.think_ms)),
        fact(
            "ramp-up, warm-up",
            format!("{}, {}", seconds(load.ramp_up_s), seconds(load.warm_up_s)),
        ),
        fact(
            "measured",
            format!(
                "{}, from {}",
                seconds(result.window.measured_s),
                seconds(result.window.from_s)
            ),
        ),
        fact("ended by", result.window.ended_by.clone()),
        fact("seed", load.seed.to_string()),
        fact("target", format!("{} {}", target.kind, target.address)),
        fact("transport", target.transport.clone()),
        fact("server", target.server.clone()),
        fact("measured from", format!("{}, {} processors", host.cpu, host.cpus)),
        fact("memory", format!("{} MB", host.memory_mb)),
        fact("kernel", host.kernel.clone()),
        fact("load before", figure(host.load_before)),
        fact("client processor time", seconds(result.client.cpu_s)),
        fact("client at its peak", format!("{:.0} %", result.client.busiest_share * 100.0)),
    ];
    page.facts(&facts);
    let numbers = |map: &BTreeMap<String, f64>, text: fn(f64) -> String| {
        map.iter().map(|(name, value)| (name.clone(), text(*value))).collect()
    };
    let texts = |map: &BTreeMap<String, String>| -> Facts { map.clone().into_iter().collect() };
    for (title, facts) in [
        ("Options of the workload", texts(&load.options)),
        ("Mix: weight by type", numbers(&load.mix, |weight| weight.to_string())),
        ("Data", texts(&target.data)),
        ("Settings of the database", texts(&target.settings)),
        ("Counted by the database", numbers(&result.database, figure)),
    ] {
        page.folded_facts(title, &facts);
    }
}
