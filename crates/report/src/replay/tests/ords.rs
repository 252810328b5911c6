//! The report on ORDS.

use super::{expect, rounds};
use crate::replay::{Replay, ReplayMeasurement, ReplayPage, Runs, Series};

fn series(resource: &str, seed: u64, rates: &[f64], seconds: f64) -> Series {
    let replay = Replay::named("ords").unwrap();
    let mut variants = replay.variants().into_iter();
    let mut variant = variants.find(|it| it.label("resource") == resource).unwrap();
    variant.labels.insert("server".into(), "Duet on SQLite".into());
    Series { variant, runs: Runs::Results(rounds(seed, rates, seconds)) }
}

fn page_of(series: &[Series]) -> ReplayPage {
    let facts = [("server".to_owned(), "Duet on SQLite".to_owned())].into();
    let measured =
        ReplayMeasurement { series: series.to_vec(), facts, ..ReplayMeasurement::default() };
    Replay::named("ords").unwrap().page(&measured)
}

fn page(view: &[f64], table: &[f64], seconds: f64) -> ReplayPage {
    page_of(&[series("view", 1, view, seconds), series("table", 9, table, seconds)])
}

#[test]
fn enough_for_a_ratio() {
    let page = page(&[7_000.0, 7_010.0, 6_990.0], &[10_000.0, 10_010.0, 9_990.0], 2.0);
    expect("ords-whole", &page);
}

#[test]
fn a_quick_one() {
    expect("ords-quick", &page(&[7_000.0], &[10_000.0], 0.03));
}

#[test]
fn rounds_of_one_resource_alone() {
    let mut page = page_of(&[series("view", 1, &[7_000.0, 7_100.0, 7_050.0], 4.0)]);
    expect("ords-view-alone", &page);
    page = page_of(&[series("view", 1, &[7_000.0], 9.0), series("table", 9, &[], 9.0)]);
    expect("ords-stopped", &page);
}

#[test]
fn a_busy_client() {
    let mut view = series("view", 1, &[700.0, 900.0, 800.0], 10.0);
    let Runs::Results(results) = &mut view.runs else { panic!("{view:?}") };
    results[1].client.busiest_share = 0.99;
    results[1].client.was_the_limit = true;
    let table = series("table", 9, &[800.0, 850.0, 790.0], 10.0);
    expect("ords-busy-client", &page_of(&[view, table]));
}
