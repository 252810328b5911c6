//! The report on the MemOptimized Rowstore.

use duet_verdict::result::HostFacts;

use super::expect;
use crate::replay::rowstore::{Environment, Measured, PATHS, Path, Series, Size, page};

const TABLES: [&str; 4] = ["t1", "t2", "t3", "t4"];

fn seconds(path: usize, table: usize, runs: u32, spread: f64) -> Vec<f64> {
    let base = [11.9, 9.6, 0.8, 24.5, 21.0, 12.2, 10.1][path] * [1.0, 0.97, 0.9, 1.0][table];
    let factor = |run: u32| 1.0 + spread * [0.0, 1.0, -0.7, 0.4, -0.2][run as usize % 5];
    (0..runs).map(|run| base * factor(run + path as u32 + 2 * table as u32)).collect()
}

fn measured(is_wanted: impl Fn(&Path) -> bool, size: Size, spread: f64) -> Measured {
    let mut series = Vec::new();
    for (at, path) in PATHS.iter().enumerate().filter(|(_, path)| is_wanted(path)) {
        for (place, table) in TABLES.into_iter().enumerate() {
            if path.misses(table).is_none() {
                let scale = size.keys as f64 / 1e5;
                let seconds = seconds(at, place, size.runs, spread);
                let seconds = seconds.into_iter().map(|seconds| seconds * scale).collect();
                series.push(Series { path, table, seconds });
            }
        }
    }
    let host = HostFacts {
        cpu: "Example CPU 2.0 GHz".into(),
        cpus: 2,
        memory_mb: 7_800,
        kernel: "Linux 6.1.0".into(),
        load_before: 0.2,
    };
    let started = "2030-01-01T00:00:00Z".into();
    Measured { size, series, started, host, interrupted: false }
}

fn environment() -> Environment {
    let plans = [
        ("PostgreSQL", "t1", "Index Scan using t1_pkey"),
        ("SQLite", "t1", "SEARCH t1 USING INTEGER PRIMARY KEY"),
        ("PostgreSQL", "t3", "Index Scan using t3_key"),
        ("SQLite", "t3", "SEARCH t3 USING INTEGER PRIMARY KEY"),
    ];
    Environment {
        databases: vec!["PostgreSQL 15.1".into(), "SQLite 3.50".into()],
        plans: plans.map(|(store, table, plan)| (store, table, plan.into())).to_vec(),
        is_optimized: true,
    }
}

#[test]
fn as_published() {
    let measured = measured(|_| true, Size::FULL, 0.004);
    expect("rowstore-whole", &page(&measured, &environment()).unwrap());
}

#[test]
fn a_machine_that_sleeps() {
    let mut measured = measured(|_| true, Size::FULL, 0.5);
    measured.interrupted = true;
    let environment = Environment { is_optimized: false, ..environment() };
    expect("rowstore-restless", &page(&measured, &environment).unwrap());
}

#[test]
fn one_store() {
    let measured = measured(|path| path.store == "sqlite", Size::FULL, 0.01);
    expect("rowstore-sqlite", &page(&measured, &environment()).unwrap());
}

#[test]
fn a_quick_one() {
    let measured = measured(|path| path.is_wanted(None, true), Size::QUICK, 0.01);
    expect("rowstore-quick", &page(&measured, &environment()).unwrap());
}

#[test]
fn stopped_early() {
    let size = Size { runs: 2, ..Size::FULL };
    let few = measured(|_| true, size, 0.01);
    expect("rowstore-two-rounds", &page(&few, &environment()).unwrap());
    let none = measured(|_| false, Size::FULL, 0.01);
    expect("rowstore-nothing", &page(&none, &environment()).unwrap());
}
