//! Tests of whole pages with fixed measurements. `DUET_ACCEPT=1` rewrites them.

mod orders;
mod ords;
mod rowstore;
mod swingbench;
mod transactions;

use std::fs;
use std::path::Path;

use duet_verdict::result::RunResult;

use super::{Replay, ReplayPage, names};
use crate::example::Example;

#[test]
fn every_report_can_be_read() {
    for name in names() {
        let replay = Replay::named(name).unwrap_or_else(|mistake| panic!("{mistake}"));
        assert!(!replay.about().is_empty() && !replay.variants().is_empty(), "{name}");
    }
    let mistake = Replay::named("none").unwrap_err().to_string();
    assert_eq!(mistake, "replays: none: there is no such report");
}

/// Compares a page's text with its golden file.
#[track_caller]
fn expect(case: &str, page: &ReplayPage) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/replays").join(case);
    let file = file.with_extension("md");
    let actual = page.text();
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let first = actual.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b);
    assert!(
        actual == expected,
        "{case} differs from line {first:?} on (DUET_ACCEPT=1 accepts the new text):\n{actual}"
    );
}

/// A run with this rate and duration; its times follow from the seed.
fn run(seed: u64, per_s: f64, seconds: f64) -> RunResult {
    let example = Example { seed, level: 40.0, measured_s: 5, ..Example::default() };
    let mut result = example.build();
    result.totals.tps = per_s;
    result.totals.ended_per_s = per_s;
    result.window.measured_s = seconds;
    result.totals.max_tpm = (per_s * 61.0) as u64;
    result
}

/// Runs of one variant, a rate for each round.
fn rounds(seed: u64, rates: &[f64], seconds: f64) -> Vec<RunResult> {
    let seeds = seed..;
    rates.iter().zip(seeds).map(|(per_s, seed)| run(seed, *per_s, seconds)).collect()
}
