//! The report on Swingbench.

use duet_verdict::result::RunResult;

use super::{expect, rounds};
use crate::replay::{Replay, ReplayMeasurement, ReplayPage, Runs, Series};

/// All variants on PostgreSQL, each with the rates of its rounds.
fn all(server: &str, rates: &dyn Fn(&str) -> Vec<f64>, seconds: f64) -> Vec<Series> {
    let replay = Replay::named("swingbench").unwrap();
    let runs = |(seed, mut variant): (u64, crate::replay::Variant)| {
        let results = rounds(seed * 10, &rates(&replay.name(&variant)), seconds);
        variant.labels.insert("where".into(), server.into());
        Series { variant, runs: Runs::Results(results) }
    };
    (1..).zip(replay.variants()).map(runs).collect()
}

fn results(series: &mut Series) -> &mut Vec<RunResult> {
    match &mut series.runs {
        Runs::Results(results) => results,
        Runs::Seconds(_) => panic!("of results"),
    }
}

fn page_of(server: &str, series: Vec<Series>) -> ReplayPage {
    let facts = [
        ("server", server),
        ("preset", "server-v2"),
        ("soe_scale", "0.1"),
        ("retail_scale", "0.1"),
        ("retail_label", "ds-like: queries of our own"),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let measured = ReplayMeasurement { series, facts, ..ReplayMeasurement::default() };
    Replay::named("swingbench").unwrap().page(&measured)
}

fn of(rates: &dyn Fn(&str) -> Vec<f64>, seconds: f64) -> ReplayPage {
    page_of("PostgreSQL 15.1", all("PostgreSQL 15.1", rates, seconds))
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
    let mut series = all("SQLite 3.50", &rates, 20.0);
    for result in series.iter_mut().flat_map(results) {
        result.target.kind = "sqlite".into();
        result.load.think_ms = [10.0, 20.0];
    }
    results(&mut series[0])[1].client.was_the_limit = true;
    results(&mut series[1])[0].ledger.as_mut().unwrap().balanced = false;
    expect("swingbench-does-not-hold", &page_of("SQLite 3.50", series));
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
