//! The report on a transaction server.

use duet_verdict::result::Figure;

use super::{expect, run};
use crate::replay::{Replay, ReplayMeasurement, ReplayPage, Runs, Series, Variant};

/// What a variant gets in each round: requests per second.
type Rate<'r> = &'r dyn Fn(&Variant) -> f64;

/// The layers of a `CREATE` and the `INSERT` by SQL, µs, as the workload names them.
const LAYERS: [(&str, f64); 9] = [
    ("CREATE: token and route", 5.0),
    ("CREATE: JSON in", 30.0),
    ("CREATE: queue", 12.0),
    ("CREATE: statement", 110.0),
    ("CREATE: commit", 900.0),
    ("CREATE: JSON out", 20.0),
    ("CREATE: not explained (network, client)", 90.0),
    ("CREATE: whole", 1_167.0),
    ("INSERT by SQL: whole", 980.0),
];

/// The variants of these stores with so many rounds of ten seconds; layers are `slower` than above.
fn page(stores: &[&str], rate: Rate<'_>, rounds: usize, slower: f64) -> ReplayPage {
    let replay = Replay::named("transactions").unwrap();
    let is_here = |variant: &Variant| stores.contains(&variant.label("store"));
    let series = |(seed, mut variant): (u64, Variant)| {
        let results = (0..rounds).map(|round| {
            let noise = [1.0, 1.02, 0.985][round % 3];
            let per_s = rate(&variant) * noise;
            let mut result = run(seed * 10 + round as u64, per_s, 10.0);
            match variant.label("op") {
                "GET" if variant.label("instances") == "5" => {
                    result.figures.push(Figure::new("Busiest instance ÷ least", 1.25, "×"));
                }
                "LAYERS" => result.figures.extend(
                    LAYERS.map(|(name, value)| Figure::new(name, value * slower * noise, "µs")),
                ),
                "CREATE" => result.figures.push(Figure::new("Rows created", per_s, "/s")),
                "BATCH" => {
                    let rows: f64 = variant.label("size").parse().unwrap();
                    result.figures.push(Figure::new("Rows created", per_s * rows, "/s"));
                }
                _ => {}
            }
            result
        });
        let runs = Runs::Results(results.collect());
        variant.labels.insert("where".into(), format!("Duet on {}", variant.label("store")));
        Series { variant, runs }
    };
    let series = (1..).zip(replay.variants().into_iter().filter(is_here)).map(series).collect();
    let facts = [("rows".to_owned(), "10000".to_owned())].into();
    replay.page(&ReplayMeasurement { series, facts, ..ReplayMeasurement::default() })
}

#[test]
fn all_figures_are_reached_on_both_stores() {
    let rate = |variant: &Variant| match (variant.label("op"), variant.label("workers")) {
        ("GET", workers) => {
            let more = if variant.label("clients") == "50" { 1.3 } else { 1.0 };
            20_000.0 * more * workers.parse::<f64>().unwrap()
        }
        ("LIST", _) => 3_000.0,
        ("CREATE", _) => match (variant.label("clients"), variant.label("commit")) {
            (_, "async") => 1_000.0,
            (_, "ingest") => 2_400.0,
            ("1", _) => 400.0,
            _ => 1_600.0,
        },
        ("BATCH", _) => 380.0,
        ("SQL", _) => 1_000.0,
        _ => 700.0,
    };
    expect("transactions-holds", &page(&["SQLite", "PostgreSQL"], &rate, 3, 1.0));
}

#[test]
fn nothing_is_reached() {
    let rate = |variant: &Variant| match variant.label("op") {
        "BATCH" => 30.0 / variant.label("size").parse::<f64>().unwrap(),
        "SQL" | "SQLTX" => 300.0,
        "CREATE" => 50.0,
        _ => 900.0,
    };
    expect("transactions-does-not-hold", &page(&["PostgreSQL"], &rate, 3, 12.0));
}

#[test]
fn too_short() {
    expect("transactions-quick", &page(&["SQLite"], &|_| 500.0, 1, 1.0));
}

#[test]
fn stopped_before_the_first_run() {
    expect("transactions-nothing", &page(&["SQLite"], &|_| 500.0, 0, 1.0));
}
