//! What the report says, and what its figures show beside what was measured here. The report says one
//! thing alone; the rest are remarks: our ratios with their intervals, without a verdict.

use super::measured::{Measured, Series, Size};
use super::paths::Path;
use super::published::Published;
use super::ratio::{Interval, logs};
use crate::replay::enough;
use crate::replay::page::{Claim, Remark, Verdict};

/// An interval that reaches so far, in percent, says nothing.
const WIDEST: f64 = 1_000.0;
/// Seconds that each variant must be measured for: 100,000 reads in process take no longer, five times.
const SECONDS: f64 = 0.5;

/// A ratio's name, and its logarithms round by round.
type Found = (String, Vec<f64>);

pub(super) fn claims() -> Vec<Claim> {
    vec![Claim {
        text:
            "The rowstore pays only through the native driver, and most without the network layer."
                .into(),
        verdict: Verdict::CannotTell,
        why: "The service has no rowstore yet: t4 was not measured.".into(),
    }]
}

pub(super) fn remarks(published: &Published, measured: &Measured) -> Vec<Remark> {
    vec![
        storage(published, measured),
        network(published, measured),
        remark(
            "The table found by a hash beside the heap: faster on every path there.".into(),
            measured,
            &of_tables(measured, &["t3"]),
        ),
        dominance(measured),
    ]
}

fn storage(published: &Published, measured: &Measured) -> Remark {
    let most = published.greatest_gain().round();
    let text = format!("How a table is stored is worth {most:.0} % at most there.");
    remark(text, measured, &of_tables(measured, &["t2", "t3"]))
}

fn network(published: &Published, measured: &Measured) -> Remark {
    let worth = published.network_gains().map_or_else(String::new, |(least, most)| {
        format!(" by {:.0} to {:.0} %", least.round(), most.round())
    });
    let text = format!("Without the network layer, every table is read faster{worth} there.");
    remark(text, measured, &without_network(measured))
}

/// Compares, round by round, what the network changes with what the table changes at most.
fn dominance(measured: &Measured) -> Remark {
    let found = Path::pairs().filter_map(|(with, without)| {
        let base = measured.of(with, "t1")?;
        let network = logs(&measured.of(without, "t1")?.seconds, &base.seconds);
        let tables: Vec<&Series> =
            ["t2", "t3"].into_iter().filter_map(|table| measured.of(with, table)).collect();
        let margin = |(round, network): (usize, f64)| {
            let change =
                |series: &&Series| (series.seconds[round] / base.seconds[round]).ln().abs();
            network.abs() - tables.iter().map(change).fold(0.0, f64::max)
        };
        Some((with.name.to_owned(), network.enumerate().map(margin).collect()))
    });
    let text = "The path matters more than the table there. By how much the path's factor is greater than \
                the table's, here:";
    remark(text.into(), measured, &found.collect::<Vec<_>>())
}

/// Tables against `t1` of the same path.
fn of_tables(measured: &Measured, tables: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    for path in measured.paths() {
        for table in tables {
            let change = measured.of(path, table).zip(measured.of(path, "t1"));
            found.extend(change.map(|(series, t1)| {
                let logs = logs(&series.seconds, &t1.seconds).collect();
                (format!("{table} by {}", path.name), logs)
            }));
        }
    }
    found
}

/// Paths without a network against those with one.
fn without_network(measured: &Measured) -> Vec<Found> {
    let mut found = Vec::new();
    for (with, without) in Path::pairs() {
        for table in ["t1", "t2", "t3"] {
            let change = measured.of(without, table).zip(measured.of(with, table));
            found.extend(change.map(|(fast, slow)| {
                let logs = logs(&fast.seconds, &slow.seconds).collect();
                (format!("{table} by {}", without.name), logs)
            }));
        }
    }
    found
}

/// What was found, with intervals that hold for all of it together; or what is missing for that.
fn remark(text: String, measured: &Measured, found: &[Found]) -> Remark {
    let many = found.len();
    let found = found.iter().filter_map(|(name, logs)| Some((name, Interval::of(logs, many)?)));
    let words: Vec<String> = found.map(|(name, at)| format!("{name} {}", said(at))).collect();
    let here = match (words.is_empty(), too_short(measured)) {
        (true, _) => "It was not measured.".to_owned(),
        (false, Some(missing)) => format!("**{}**: {missing}.", Verdict::TooShort.words()),
        (false, None) => format!("{}.", words.join("; ")),
    };
    Remark { text, here }
}

/// What is missing for a judgement, where something is: reads, rounds or seconds.
fn too_short(measured: &Measured) -> Option<String> {
    let Size { keys, .. } = measured.size;
    if keys < Size::FULL.keys {
        return Some(format!("runs of {keys} reads; {} are needed", Size::FULL.keys));
    }
    let rounds = measured.series.iter().map(|series| series.seconds.len()).min().unwrap_or(0);
    let seconds = measured.series.iter().map(|series| series.seconds.iter().sum::<f64>());
    let shortest = seconds.min_by(f64::total_cmp).unwrap_or(0.0);
    enough::missing(rounds, [shortest; 2], SECONDS)
}

fn said(at: Interval) -> String {
    match at.high < WIDEST {
        true => format!("{:+.1} % ({:+.1} to {:+.1})", at.middle, at.low, at.high),
        false => format!("{:+.1} % (too few runs to tell)", at.middle),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PATHS, Size};
    use super::*;

    /// Runs with hardly any spread around these averages of paths and tables.
    fn measured(figures: &[(usize, &'static str, f64)]) -> Measured {
        let series = figures.iter().map(|(path, table, seconds)| Series {
            path: &PATHS[*path],
            table,
            seconds: [0.9999, 1.0, 1.0001].map(|factor| factor * seconds).into(),
        });
        Measured {
            size: Size::FULL,
            series: series.collect(),
            started: String::new(),
            host: duet_verdict::result::HostFacts::default(),
            interrupted: false,
        }
    }

    fn here(measured: &Measured) -> Vec<String> {
        let remarks = remarks(&Published::read().unwrap(), measured);
        remarks.into_iter().map(|remark| remark.here).collect()
    }

    #[test]
    fn ratios_are_shown_and_get_no_verdict() {
        let figures = [
            (0, "t1", 12.987),
            (0, "t2", 12.698),
            (0, "t3", 12.455),
            (1, "t1", 10.454),
            (1, "t2", 10.272),
            (1, "t3", 9.886),
        ];
        let measured = measured(&figures);
        let here = here(&measured);
        assert!(here[0].contains("t2 by PostgreSQL, TCP -2.2 % ("), "{here:?}");
        assert!(here[1].contains("t1 by PostgreSQL, Unix socket -19.5 % ("), "{here:?}");
        assert!(here.iter().all(|text| !text.contains("hold")), "{here:?}");
        let claims = claims();
        assert_eq!((claims.len(), claims[0].verdict), (1, Verdict::CannotTell));
    }

    #[test]
    fn too_little() {
        assert_eq!(here(&measured(&[])), ["It was not measured."; 4]);
        let mut one = measured(&[(0, "t1", 10.0), (1, "t1", 8.0)]);
        one.series.iter_mut().for_each(|series| series.seconds.truncate(1));
        let told = "**too short to judge**: 8 s measured in 1 round; 0.5 s in 3 rounds are needed.";
        assert_eq!(here(&one)[1], told);
        let mut quick = measured(&[(0, "t1", 10.0), (1, "t1", 8.0)]);
        quick.size = Size::QUICK;
        let told = "**too short to judge**: runs of 5000 reads; 100000 are needed.";
        assert_eq!(here(&quick)[1], told);
    }
}
