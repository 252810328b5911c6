//! The report on Swingbench.

use super::{expect, rounds};
use crate::replay::Page;
use crate::replay::swingbench::{Data, Runs, page, variants};

const DATA: Data = Data { soe: 0.1, retail: 0.1, retail_label: "ds-like: queries of our own" };

/// All variants on PostgreSQL, each with the rates of its rounds.
fn all(rates: &dyn Fn(&str) -> Vec<f64>, seconds: f64) -> Vec<Runs> {
    let runs = |(seed, variant): (u64, _)| {
        let variant: crate::replay::swingbench::Variant = variant;
        let results = rounds(seed * 10, &rates(&variant.name()), seconds);
        Runs { variant, results }
    };
    (1..).zip(variants(true)).map(runs).collect()
}

fn of(rates: &dyn Fn(&str) -> Vec<f64>, seconds: f64) -> Page {
    page(&all(rates, seconds), "PostgreSQL 15.1", DATA).unwrap()
}

fn around(rate: f64) -> Vec<f64> {
    [1.0, 1.01, 0.995].map(|factor| factor * rate).to_vec()
}

#[test]
fn faster_as_published() {
    let rates = |name: &str| match name {
        "soe-client 1x16" => around(1_000.0),
        "soe-server 1x16" => around(1_150.0),
        "soe-client 2x8" => around(1_340.0),
        "soe-server 2x8" => around(1_260.0),
        "soe-client 4x4" => around(1_330.0),
        _ => around(800.0),
    };
    expect("swingbench-holds", &of(&rates, 60.0));
}

#[test]
fn slower_than_published() {
    let rates = |name: &str| match name {
        "soe-client 1x16" => around(1_000.0),
        "soe-server 1x16" => around(900.0),
        "soe-client 2x8" => around(1_010.0),
        _ => around(700.0),
    };
    let mut runs = all(&rates, 20.0);
    for result in runs.iter_mut().flat_map(|runs| &mut runs.results) {
        result.target.kind = "sqlite".into();
        result.load.think_ms = [10.0, 20.0];
    }
    runs[0].results[1].client.was_the_limit = true;
    runs[1].results[0].ledger.as_mut().unwrap().balanced = false;
    expect("swingbench-does-not-hold", &page(&runs, "SQLite 3.50", DATA).unwrap());
}

#[test]
fn too_noisy_to_tell() {
    let rates = |name: &str| match name {
        "soe-client 1x16" | "soe-server 1x16" => vec![1_000.0, 1_300.0, 900.0],
        _ => vec![900.0, 1_500.0, 1_150.0],
    };
    expect("swingbench-cannot-tell", &of(&rates, 20.0));
}

#[test]
fn too_short() {
    expect("swingbench-quick", &of(&|_| vec![1_000.0], 2.0));
}

#[test]
fn stopped_in_the_first_round() {
    let rates = |name: &str| match name {
        "soe-client 1x16" | "soe-server 1x16" => vec![1_000.0],
        _ => vec![],
    };
    expect("swingbench-stopped", &of(&rates, 20.0));
    expect("swingbench-nothing", &of(&|_| vec![], 20.0));
}
