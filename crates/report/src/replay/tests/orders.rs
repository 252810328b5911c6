//! The report on an orders storage.

use super::{expect, run};
use crate::replay::{Replay, ReplayMeasurement, ReplayPage, Runs, Series, Variant};

/// The variants of these stores with so many rounds of three seconds; indexes make requests so many times faster.
fn page(stores: &[&str], rounds: usize, faster: &dyn Fn(&Variant) -> f64) -> ReplayPage {
    let replay = Replay::named("orders").unwrap();
    let is_here = |variant: &Variant| stores.contains(&variant.label("store"));
    let series = |(seed, mut variant): (u64, Variant)| {
        let results = (0..rounds).map(|round| {
            let factor = if variant.label("indexes") == "indexed" { faster(&variant) } else { 1.0 };
            let noise = [1.0, 1.02, 0.985][(round + seed as usize) % 3];
            run(seed * 10 + round as u64, 200.0 * factor * noise, 3.0)
        });
        let runs = Runs::Results(results.collect());
        variant.labels.insert("where".into(), format!("Duet on {}", variant.label("store")));
        Series { variant, runs }
    };
    let series = (1..).zip(replay.variants().into_iter().filter(is_here)).map(series).collect();
    let facts = [("rows".to_owned(), "5000".to_owned())].into();
    replay.page(&ReplayMeasurement { series, facts, ..ReplayMeasurement::default() })
}

#[test]
fn some_operations_are_faster_on_both_stores() {
    let faster = |variant: &Variant| match variant.label("op") {
        "FILTER-PO" => 1.0,
        "SORT-O" if variant.label("store") == "SQLite" => 1.16,
        _ => 20.0,
    };
    expect("orders-whole", &page(&["SQLite", "PostgreSQL"], 3, &faster));
}

#[test]
fn too_short() {
    expect("orders-quick", &page(&["SQLite"], 1, &|_| 9.0));
}

#[test]
fn stopped_before_the_first_run() {
    expect("orders-nothing", &page(&["PostgreSQL"], 0, &|_| 9.0));
}
