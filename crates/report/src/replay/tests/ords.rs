//! The report on ORDS.

use super::{expect, rounds};
use crate::replay::{Measured, Page, ords};

fn measured(resource: &str, seed: u64, rates: &[f64], seconds: f64) -> Measured {
    let results = rounds(seed, rates, seconds);
    Measured { server: "Duet on SQLite".into(), resource: resource.into(), results }
}

fn page(view: &[f64], table: &[f64], seconds: f64) -> Page {
    ords(&[measured("view", 1, view, seconds), measured("table", 9, table, seconds)]).unwrap()
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
    let mut page = ords(&[measured("view", 1, &[7_000.0, 7_100.0, 7_050.0], 4.0)]).unwrap();
    expect("ords-view-alone", &page);
    page = ords(&[measured("view", 1, &[7_000.0], 9.0), measured("table", 9, &[], 9.0)]).unwrap();
    expect("ords-stopped", &page);
}

#[test]
fn a_busy_client() {
    let mut view = measured("view", 1, &[700.0, 900.0, 800.0], 10.0);
    view.results[1].client.busiest_share = 0.99;
    view.results[1].client.was_the_limit = true;
    let table = measured("table", 9, &[800.0, 850.0, 790.0], 10.0);
    expect("ords-busy-client", &ords(&[view, table]).unwrap());
}
