//! The tables of a result: types, statements of the database, findings, settings.

use std::collections::BTreeMap;

use duet_verdict::result::{AgentResult, ProcessResult, RunResult, TypeResult};
use duet_verdict::text::{counted, figure, seconds, short};

use super::page::{Block, Cell, Page, Table};
use super::spark::{share, spark};
use super::timeline::Timeline;
use super::words::{self, count};
use crate::summary::{MINUTE_S, figure_text, reconnects, wire};

pub(super) fn ms(micros: u64) -> String {
    figure(micros as f64 / 1e3)
}

pub(super) fn maybe_ms(micros: Option<u64>) -> String {
    micros.map_or_else(|| "n/a".into(), ms)
}

/// The columns of a type: small charts, counts, times.
const COLUMNS: [&str; 13] = [
    "",
    "throughput",
    "mean time",
    "completed",
    "failed",
    "/s",
    "mean",
    "p50",
    "p90",
    "p95",
    "p99",
    "p99.9",
    "max",
];

/// A row per type, and their total.
pub(super) fn types(page: &mut Page, result: &RunResult, timeline: &Timeline<'_>) {
    page.heading("Types of transactions");
    let mut text = "Times in milliseconds.".to_owned();
    if result.load.mix.len() > 1 && !result.is_open() {
        text.push_str(
            " Types share the users' loops: the throughput of one follows from the mix and says \
             nothing of its own.",
        );
    }
    page.soft(text);
    // Types outside of the mix have no figures.
    let has_run = |kind: &TypeResult| kind.completed + kind.failed + kind.unfinished > 0;
    let ran = result.types.iter().enumerate().filter(|(_, kind)| has_run(kind));
    let mut rows: Vec<Vec<Cell>> = ran
        .map(|(place, kind)| {
            let per_s = timeline.mean(|second| Some(*second.by_type.get(place)? as f64));
            let drawings = [spark(&per_s, "c0"), spark(&timeline.mean_of_type(place), "c1")];
            type_row(result, kind, drawings)
        })
        .collect();
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
    rows.push(type_row(result, &all, [String::new(), String::new()]));
    page.add(Block::Table(Table::stacking(&COLUMNS, rows).with_total()));
}

fn least(text: String, is_bound: bool) -> String {
    if is_bound { format!("≥ {text}") } else { text }
}

fn type_row(result: &RunResult, kind: &TypeResult, drawings: [String; 2]) -> Vec<Cell> {
    let times = if result.is_open() { &kind.response } else { &kind.service };
    let seconds = result.window.measured_s;
    let per_s = if seconds > 0.0 { kind.completed_in_window as f64 / seconds } else { 0.0 };
    // Unfinished ones took at least their known time.
    let ms = |micros: u64| least(ms(micros), times.is_bound(micros));
    let maybe_ms = |micros: Option<u64>| micros.map_or_else(|| maybe_ms(None), ms);
    let failed = match kind.unfinished {
        0 => count(kind.failed),
        unfinished => format!("{} + {} unfinished", count(kind.failed), count(unfinished)),
    };
    let cells = [
        count(kind.completed),
        failed,
        figure(per_s),
        least(figure(times.mean_us / 1e3), times.unfinished > 0),
        ms(times.p50_us),
        ms(times.p90_us),
        ms(times.p95_us),
        maybe_ms(times.p99_us),
        maybe_ms(times.p99_9_us),
        ms(times.max_us),
    ];
    let mut row = vec![Cell::of(&kind.name)];
    row.extend(drawings.map(Cell::drawing));
    row.extend(cells.iter().map(|text| Cell::of(text)));
    row
}

/// The statements that took most of the database's time; nothing where they were not observed.
pub(super) fn statements(page: &mut Page, result: &RunResult) {
    if result.statements.is_empty() {
        return;
    }
    page.heading("Statements of the database");
    page.soft(
        "Those that took most of the database's time during the whole run, by pg_stat_statements. Choose one to read all of it."
            .into(),
    );
    let all: f64 = result.statements.iter().map(|it| it.total_ms).sum();
    let rows = result.statements.iter().take(STATEMENTS).map(|it| {
        let line = it.query.split_whitespace().collect::<Vec<_>>().join(" ");
        let part = if all > 0.0 { it.total_ms / all } else { 0.0 };
        let each = |sum: f64| figure(sum / it.calls.max(1) as f64);
        let share = Cell::drawing(share(part));
        vec![
            Cell::code(&line, &it.query),
            share,
            Cell::of(&format!("{:.0} %", part * 100.0)),
            Cell::of(&count(it.calls)),
            Cell::of(&each(it.total_ms)),
            Cell::of(&figure(it.total_ms / 1e3)),
            Cell::of(&each(it.rows as f64)),
            Cell::of(&each((it.blocks_hit + it.blocks_read) as f64)),
        ]
    });
    let head =
        ["statement", "", "of the time", "calls", "mean ms", "total s", "rows each", "pages each"];
    page.add(Block::Table(Table::stacking(&head, rows.collect())));
}

/// The most statements that are shown.
const STATEMENTS: usize = 10;

/// What failed; nothing without failures.
pub(super) fn failures(result: &RunResult) -> Vec<Block> {
    let rows = result.failures.iter().filter(|row| row.count + row.outside > 0).map(|row| {
        let [number, outside] = [row.count, row.outside].map(|number| Cell::of(&count(number)));
        let names = [&row.transaction, &row.outcome].map(|name| Cell::of(name));
        let mut cells = Vec::from(names);
        cells.extend([number, outside, Cell::words(&row.message)]);
        cells
    });
    let head = ["type", "outcome", "in the measured time", "outside of it", "the server said"];
    some(&head, rows.collect())
}

fn some(head: &[&str], rows: Vec<Vec<Cell>>) -> Vec<Block> {
    if rows.is_empty() { Vec::new() } else { vec![Block::table(head, rows)] }
}

/// The answers' checks. Those that were never made belong to types that did not run.
pub(super) fn checks(result: &RunResult) -> Vec<Block> {
    let made = result.checks.iter().filter(|row| row.was_made());
    let rows = made.map(|row| {
        let counts = [row.passed, row.failed, row.passed_outside, row.failed_outside];
        let mut cells = vec![Cell::of(&row.name)];
        cells.extend(counts.map(|number| Cell::of(&count(number))));
        cells.push(Cell::held(row.failed + row.failed_outside == 0));
        cells
    });
    let head = [
        "check",
        "passed in the measured time",
        "failed",
        "passed outside of it",
        "failed",
        "all passed",
    ];
    some(&head, rows.collect())
}

/// The counts of client and server, and statements about the data.
pub(super) fn agreement(result: &RunResult) -> Vec<Block> {
    let ledger = result.ledger.iter().flat_map(|ledger| &ledger.rows).map(|row| {
        let counts = [row.client, row.server].map(|number| Cell::of(&count(number)));
        let mut cells = vec![Cell::of(&row.what)];
        cells.extend(counts);
        cells.push(Cell::held(row.agrees));
        cells
    });
    let head = ["counted over the whole run", "by the client", "by the server", "agree"];
    let mut blocks = some(&head, ledger.collect());
    let rows = result
        .invariants
        .iter()
        .map(|it| vec![Cell::of(&it.name), Cell::held(it.passed), Cell::words(&it.found)]);
    blocks.extend(some(&["statement about the data", "holds", "found"], rows.collect()));
    blocks
}

/// The processes of a layout, if there are several.
pub(super) fn processes(result: &RunResult) -> Vec<Block> {
    if result.processes.len() < 2 {
        return Vec::new();
    }
    let row = |it: &ProcessResult| {
        vec![
            Cell::of(&it.index.to_string()),
            Cell::of(&it.users.to_string()),
            Cell::of(&count(it.completed)),
            Cell::of(&count(it.failed)),
            Cell::of(&figure(it.tps)),
            Cell::of(&ms(it.p95_us)),
            Cell::of(&figure(it.cpu_s)),
            Cell::held(it.finished),
        ]
    };
    let head = ["process", "users", "completed", "failed", "/s", "p95 ms", "CPU s", "to the end"];
    some(&head, result.processes.iter().map(row).collect())
}

/// Names with their values.
type Facts = Vec<(String, String)>;

fn fact(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

/// The environment and options of the run, as one table.
pub(super) fn settings(result: &RunResult) -> Vec<(String, Facts)> {
    let numbers = |map: &BTreeMap<String, f64>, text: fn(f64) -> String| -> Facts {
        map.iter().map(|(name, value)| (name.clone(), text(*value))).collect()
    };
    let texts = |map: &BTreeMap<String, String>| -> Facts { map.clone().into_iter().collect() };
    let waits = result.waits.iter();
    let waits = waits.map(|(class, sessions)| (words::wait(class), figure(*sessions)));
    let groups = [
        ("Load", load(result)),
        ("Work", work(result)),
        ("Target and machine", machine(result)),
        ("Options of the workload", texts(&result.load.options)),
        ("Mix: weight by type", numbers(&result.load.mix, |weight| weight.to_string())),
        ("Data", texts(&result.target.data)),
        ("Settings of the database", texts(&result.target.settings)),
        ("Counted by the database in the measured time", numbers(&result.database, figure)),
        ("Average sessions by what they waited for", waits.collect()),
    ];
    let known = |facts: Facts| -> Facts {
        facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    };
    let groups = groups.into_iter().map(|(title, facts)| (title.to_owned(), known(facts)));
    groups.filter(|(_, facts)| !facts.is_empty()).collect()
}

fn load(result: &RunResult) -> Facts {
    let load = &result.load;
    let span = |span: [f64; 2]| {
        if span[1] > 0.0 { format!("{} to {} ms", span[0], span[1]) } else { "none".to_owned() }
    };
    let measured = &result.window;
    vec![
        fact("workload", result.workload.clone()),
        fact("load", format!("{} {}", load.model, load.arrivals.clone().unwrap_or_default())),
        fact("users", format!("{} ({})", load.users, load.layout)),
        fact("rate", load.rate_per_s.map_or_else(String::new, |rate| format!("{}/s", short(rate)))),
        fact("think time", span(load.think_ms)),
        fact("ramp-up", seconds(load.ramp_up_s)),
        fact("warm-up", seconds(load.warm_up_s)),
        fact(
            "measured",
            format!("{}, from {}", seconds(measured.measured_s), seconds(measured.from_s)),
        ),
        fact("ended by", measured.ended_by.clone()),
        fact("seed", load.seed.to_string()),
    ]
}

fn work(result: &RunResult) -> Facts {
    let totals = &result.totals;
    let mut facts: Facts =
        result.figures.iter().map(|it| (it.name.clone(), figure_text(it))).collect();
    // A run of less than a minute has no maximum per minute.
    if result.window.measured_s >= MINUTE_S {
        facts.push(fact("most in a minute", count(totals.max_tpm)));
    }
    if let Some(offered) = totals.offered.filter(|_| result.is_open()) {
        facts.push(fact("arrivals offered", count(offered)));
        facts.push(fact("late by the load generator", count(totals.late_by_client)));
        facts.push(fact("late by the server", count(totals.late_by_server)));
        facts.push(fact("never begun", count(totals.unsent)));
    }
    facts.push(fact("each transaction", wire(result).unwrap_or_default()));
    facts.push(fact("reconnects", reconnects(result).unwrap_or_default()));
    let client = &result.client;
    let known = |text: String| result.lost_figures().map_or(text, str::to_owned);
    facts.push(fact("processor time of the load generator", known(seconds(client.cpu_s))));
    let each = format!("{} µs", figure(client.cpu_us_per_transaction));
    facts.push(fact("the same for each transaction", known(each)));
    facts
}

fn machine(result: &RunResult) -> Facts {
    let (target, host) = (&result.target, &result.host);
    let mut facts = vec![
        fact("target", format!("{} {}", target.kind, target.address).trim().to_owned()),
        fact("transport", target.transport.clone()),
        fact("server", target.server.clone()),
        fact("measured from", format!("{}, {} processors", host.cpu, host.cpus)),
        fact("memory", format!("{} MB", host.memory_mb)),
        fact("kernel", host.kernel.clone()),
        fact("load before", figure(host.load_before)),
    ];
    facts.extend(result.agents.iter().map(agent));
    facts
}

/// An agent, with how exactly it began with the others.
fn agent(agent: &AgentResult) -> (String, String) {
    let moved = match agent.clock_drift_us {
        Some(us) => format!("moved by {} µs", figure(us)),
        None => "not read again".to_owned(),
    };
    let AgentResult { address, host, processes, clock_uncertainty_us, .. } = agent;
    let text = format!(
        "{}, {} processors, {} MB; {}; clock within {} µs, {moved}",
        host.cpu,
        host.cpus,
        host.memory_mb,
        counted(processes.len() as u64, "process"),
        figure(*clock_uncertainty_us)
    );
    fact(&format!("agent {address}"), text)
}
