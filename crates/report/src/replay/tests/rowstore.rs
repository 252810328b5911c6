//! The report on the MemOptimized Rowstore.

use duet_verdict::result::HostFacts;

use super::expect;
use crate::replay::{Facts, Replay, ReplayMeasurement, ReplayPage, Runs, Series, Variant};

const TABLES: [&str; 4] = ["t1", "t2", "t3", "t4"];
const FULL: u64 = 100_000;

/// Seconds of the paths' runs, processors asleep.
const PATHS: [f64; 10] = [11.9, 9.6, 1.1, 0.8, 24.5, 21.0, 9.1, 12.2, 10.1, 0.9];

fn seconds(path: usize, table: usize, is_awake: bool, runs: u32, spread: f64) -> Vec<f64> {
    let waking = if is_awake { 0.3 } else { 1.0 };
    let base = PATHS[path] * [1.0, 0.97, 0.9, 0.6][table] * waking;
    let factor = |run: u32| 1.0 + spread * [0.0, 1.0, -0.7, 0.4, -0.2][run as usize % 5];
    (0..runs).map(|run| base * factor(run + path as u32 + 2 * table as u32)).collect()
}

fn measured(
    is_wanted: impl Fn(&Variant) -> bool,
    (reads, runs): (u64, u32),
    spread: f64,
) -> ReplayMeasurement {
    let mut series = Vec::new();
    for (at, variant) in Replay::named("rowstore").unwrap().variants().into_iter().enumerate() {
        if !is_wanted(&variant) {
            continue;
        }
        let (path, table) = (at / 2 / TABLES.len(), at / 2 % TABLES.len());
        assert_eq!(variant.label("table"), TABLES[table]);
        let is_awake = variant.label("processors") == "awake";
        let scale = reads as f64 / 1e5;
        let runs = if variant.missing.is_some() { 0 } else { runs };
        let seconds = seconds(path, table, is_awake, runs, spread).into_iter();
        let runs = Runs::Seconds(seconds.map(|seconds| seconds * scale).collect());
        series.push(Series { variant, runs });
    }
    let host = HostFacts {
        cpu: "Example CPU 2.0 GHz".into(),
        cpus: 2,
        memory_mb: 7_800,
        kernel: "Linux 6.1.0".into(),
        load_before: 0.2,
    };
    ReplayMeasurement { series, reads, host: Some(host), facts: Facts::new() }
}

fn page(
    mut measured: ReplayMeasurement,
    runs: u32,
    more: &[&str],
    is_optimized: bool,
) -> ReplayPage {
    let in_memory = "SQLite: as t1, in the memory of the process that reads, filled before the \
                     clock starts; so it cannot be served";
    let facts = [
        ("started", "2030-01-01T00:00:00Z"),
        ("runs", &runs.to_string()),
        ("databases", "PostgreSQL 15.1, SQLite 3.50"),
        ("build", if is_optimized { "optimized" } else { "not optimized" }),
        (
            "plan.t1",
            "PostgreSQL: Index Scan using t1_pkey; SQLite: SEARCH t1 USING INTEGER PRIMARY KEY",
        ),
        ("plan.t2", ""),
        ("plan.t3", &format!("PostgreSQL: Index Scan using t3_key; {in_memory}")),
        ("plan.t4", "PostgreSQL: Index Scan using t4_pkey"),
        ("spinners", "2 with idle priority"),
    ];
    let flags = more.iter().map(|name| (*name, "yes"));
    let facts = facts.into_iter().chain(flags);
    measured.facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Replay::named("rowstore").unwrap().page(&measured)
}

#[test]
fn as_published() {
    let measured = measured(|_| true, (FULL, 5), 0.004);
    expect("rowstore-whole", &page(measured, 5, &[], true));
}

#[test]
fn a_machine_that_sleeps() {
    let measured = measured(|_| true, (FULL, 5), 0.5);
    expect("rowstore-restless", &page(measured, 5, &["interrupted", "not_optimized"], false));
}

#[test]
fn one_store() {
    let measured = measured(|variant| variant.label("store") == "sqlite", (FULL, 5), 0.01);
    expect("rowstore-sqlite", &page(measured, 5, &[], true));
}

#[test]
fn a_quick_one() {
    let measured = measured(|variant| variant.label("quick") == "yes", (1_000, 2), 0.01);
    expect("rowstore-quick", &page(measured, 2, &["quick"], true));
}

#[test]
fn stopped_early() {
    let few = measured(|_| true, (FULL, 2), 0.01);
    expect("rowstore-two-rounds", &page(few, 2, &["quick"], true));
    let none = measured(|_| false, (FULL, 5), 0.01);
    expect("rowstore-nothing", &page(none, 5, &[], true));
}
