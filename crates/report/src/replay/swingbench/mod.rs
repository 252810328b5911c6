//! The report on Swingbench: order entry from the client's side and the database's, in layouts of one,
//! two and four processes, and a mix of analytical queries. Beside it, what the report could not measure:
//! the same order entry through a REST service.
//!
//! Where the report adds up averages of processes that end at different times, this one divides all work
//! by the whole time. Every variant runs more than once, interleaved, so that a difference between variants
//! can be told from noise.

mod claims;
mod tables;

use duet_verdict::result::RunResult;
use duet_verdict::text::counted;
use serde::Deserialize;

use super::number::Number;
use super::page::{Condition, Page};

const PUBLISHED: &str = include_str!("../../../data/published/swingbench.json");

#[derive(Deserialize)]
struct Published {
    title: String,
    conditions: Conditions,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Conditions {
    database: String,
    client: String,
    load: String,
    data: String,
    rounds: String,
    mix: String,
    retail: String,
    network: String,
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "where")]
    place: String,
    workload: String,
    layout: String,
    max_tpm: Option<u64>,
    tps: Number,
}

/// A variant of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The workload's name; `retail` stands for its mix.
    pub workload: &'static str,
    /// Processes.
    pub processes: u32,
    /// Users of each.
    pub users: u32,
}

impl Variant {
    const fn new(workload: &'static str, processes: u32, users: u32) -> Self {
        Self { workload, processes, users }
    }

    /// Processes times users, such as `2x8`.
    pub fn layout(&self) -> String {
        format!("{}x{}", self.processes, self.users)
    }

    /// Workload and layout.
    pub fn name(&self) -> String {
        format!("{} {}", self.workload, self.layout())
    }
}

/// Users of every variant, all its processes together.
const USERS: f64 = 16.0;

/// The report's variants, in its order.
const REPORTED: [Variant; 8] = [
    Variant::new("soe-client", 1, 16),
    Variant::new("soe-server", 1, 16),
    Variant::new("soe-client", 2, 8),
    Variant::new("soe-client", 4, 4),
    Variant::new("soe-server", 2, 8),
    Variant::new("soe-server", 4, 4),
    Variant::new("retail", 2, 8),
    Variant::new("retail", 1, 16),
];

/// Those that the report does not have; the first needs a database with functions.
const THROUGH_REST: [Variant; 2] =
    [Variant::new("soe-rest", 1, 16), Variant::new("soe-rest-client", 1, 16)];

/// The variants, 16 connections each, in the order of a round.
pub fn variants(has_functions: bool) -> Vec<Variant> {
    let of_service = if has_functions { &THROUGH_REST[..] } else { &THROUGH_REST[1..] };
    REPORTED.iter().chain(of_service).copied().collect()
}

/// The weights that all variants of order entry run with: the one preset that was published for sure.
pub const PRESET: &str = "server-v2";

/// The data.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    /// The scale of order entry.
    pub soe: f64,
    /// The scale of retail.
    pub retail: f64,
    /// What every result of retail must say.
    pub retail_label: &'static str,
}

/// The runs of one variant.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Which.
    pub variant: Variant,
    /// Its results, a round each.
    pub results: Vec<RunResult>,
}

impl Runs {
    fn tps(&self) -> Vec<f64> {
        self.results.iter().map(|result| result.totals.tps).collect()
    }

    /// Seconds, all rounds together.
    fn seconds(&self) -> f64 {
        self.results.iter().map(|result| result.window.measured_s).sum()
    }

    fn mean(&self, of: impl Fn(&RunResult) -> f64) -> f64 {
        self.results.iter().map(of).sum::<f64>() / self.results.len().max(1) as f64
    }
}

/// The page of the repeated report.
///
/// # Errors
/// Where the published figures cannot be read: they are part of the program.
pub fn page(runs: &[Runs], server: &str, data: Data) -> serde_json::Result<Page> {
    let published: Published = serde_json::from_str(PUBLISHED)?;
    let runs: Vec<Runs> = runs.iter().filter(|runs| !runs.results.is_empty()).cloned().collect();
    Ok(Page {
        title: format!("{}, repeated", published.title),
        notes: notes(&runs, data),
        tables: vec![
            tables::rates(&published, &runs, server),
            tables::layers(&runs),
            tables::think(&published, &runs, server),
        ],
        conditions: conditions(&published, &runs, server, data),
        claims: claims::claims(&runs),
        remarks: claims::remarks(&runs),
    })
}

fn notes(runs: &[Runs], data: Data) -> Vec<String> {
    let results = || runs.iter().flat_map(|runs| &runs.results);
    let failed: u64 = results().map(|result| result.totals.failed).sum();
    let done: u64 = results().map(|result| result.totals.completed).sum();
    let wrong = results().flat_map(|result| &result.invariants).filter(|row| !row.passed).count();
    let unbalanced =
        results().filter(|result| result.ledger.as_ref().is_some_and(|l| !l.balanced)).count();
    let mut notes = vec![format!(
        "{done} transactions; {failed} failed. After every run the data were compared with what was counted: \
         {wrong} statements did not hold, {unbalanced} ledgers did not balance."
    )];
    notes.push(
        "Layouts have 16 connections in all, and each process adds a client thread: a layout of four processes \
         has four, one of one process has one. Ratios of layouts hold both."
            .into(),
    );
    if runs.iter().any(|runs| runs.variant.workload == "retail") {
        notes.push(format!("Retail is {}.", data.retail_label));
    }
    if results().any(|result| result.target.kind == "sqlite") {
        notes.push(
            "SQLite has neither a wire nor functions: SQL on it has no round trips, soe-server runs within the \
             measuring process, and there is no soe-rest."
                .into(),
        );
    }
    if results().any(|result| result.client.is_in_doubt()) {
        notes.push(
            "The client was busy in some runs: the capacity of the database may be higher.".into(),
        );
    }
    notes
}

fn conditions(published: &Published, runs: &[Runs], server: &str, data: Data) -> Vec<Condition> {
    let theirs = &published.conditions;
    let first = runs.first().and_then(|runs| runs.results.first());
    let machine = first.map_or_else(String::new, |result| {
        let host = &result.host;
        format!("{} processors ({}), {} MB, {}", host.cpus, host.cpu, host.memory_mb, host.kernel)
    });
    let load = first.map_or_else(String::new, |result| {
        format!(
            "{USERS:.0} connections in all, {:.0} s measured after a warm-up of {:.0} s; no think time",
            result.window.measured_s, result.load.warm_up_s
        )
    });
    let rounds = runs.iter().map(|runs| runs.results.len()).min().unwrap_or(0);
    let condition = |what: &str, published: &str, here: String| Condition {
        what: what.into(),
        published: published.into(),
        here,
    };
    let scales = format!("order entry at scale {}, retail at scale {}", data.soe, data.retail);
    vec![
        condition(
            "database and machine",
            &theirs.database,
            format!("{server}; {machine}; client, service and database together"),
        ),
        condition("client", &theirs.client, "Duet's bench, real processes, one clock".into()),
        condition("load", &theirs.load, load),
        condition("data", &theirs.data, scales),
        condition(
            "mix of order entry",
            &theirs.mix,
            format!("the preset {PRESET} for every variant, so that they differ in the layer alone"),
        ),
        condition(
            "a transaction of retail",
            &theirs.retail,
            "one of 17 queries of our own, drawn by weight (light 10, medium 4, heavy 1); rows are fetched \
             and compared"
                .into(),
        ),
        condition(
            "rounds",
            &theirs.rounds,
            format!("{}, every variant in each; all work divided by the whole time", counted(rounds as u64, "round")),
        ),
        condition(
            "network",
            &theirs.network,
            "none: a socket of this machine, or in process".into(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(variant: Variant, tps: f64) -> Runs {
        let mut result = RunResult::default();
        result.totals.tps = tps;
        result.totals.completed = 100;
        result.totals.service.mean_us = 4_000.0;
        result.totals.sent_bytes = 12_300;
        Runs { variant, results: vec![result] }
    }

    #[test]
    fn a_page_has_every_variant_and_no_empty_one() {
        let mut all: Vec<Runs> =
            variants(true).into_iter().map(|variant| runs(variant, 200.0)).collect();
        all[1].results.clear();
        let data = Data { soe: 0.1, retail: 0.2, retail_label: "ds-like" };
        let page = page(&all, "PostgreSQL 15", data).unwrap();
        let [rates, layers, think] = &page.tables[..] else { panic!("{:?}", page.tables) };
        assert_eq!((rates.rows.len(), layers.rows.len()), (16 + 9, 7));
        // Five published rates, and ours.
        assert_eq!(think.rows.len(), 5 + 2);
        let is_wide = |table: &duet_verdict::text::Table| {
            table.rows.iter().all(|row| row.len() == table.head.len())
        };
        assert!(page.tables.iter().all(is_wide));
        let text = page.text();
        assert!(
            text.contains("retail at scale 0.2") && text.contains("Retail is ds-like."),
            "{text}"
        );
        // 12,300 bytes of 100 transactions.
        assert!(layers.rows.iter().all(|row| row.contains(&"123".to_owned())), "{layers:?}");
        assert_eq!(variants(false).len() + 1, variants(true).len());
    }
}
