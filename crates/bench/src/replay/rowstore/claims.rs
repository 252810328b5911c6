//! What the report says, held against what was measured here.
//!
//! A claim is a range for some ratios: it holds where all their intervals lie inside, it does not where
//! one lies outside, and otherwise nobody can tell.

use super::measure::{Measured, Series};
use super::paths::Path;
use super::published::Published;
use super::ratio::{Interval, logs};
use crate::replay::page::{Claim, Verdict};

/// An interval that reaches so far, in percent, says nothing.
const WIDEST: f64 = 1_000.0;

/// A ratio's name, and its logarithms round by round.
type Found = (String, Vec<f64>);

pub(super) fn claims(published: &Published, measured: &Measured) -> Vec<Claim> {
    let mut claims = vec![storage(published, measured)];
    claims.extend(network(published, measured));
    claims.push(hash(measured));
    claims.push(dominance(measured));
    claims.push(Claim {
        text:
            "The rowstore pays only through the native driver, and most without the network layer."
                .into(),
        verdict: Verdict::CannotTell,
        why: "The service has no rowstore yet: t4 was not measured.".into(),
    });
    claims
}

fn storage(published: &Published, measured: &Measured) -> Claim {
    let most = published.greatest_gain().round();
    judged(
        format!("How a table is stored is worth {most:.0} % at most."),
        &of_tables(measured, &["t2", "t3"]),
        [-most, f64::INFINITY],
    )
}

fn network(published: &Published, measured: &Measured) -> Vec<Claim> {
    let found = without_network(measured);
    let faster = "Without the network layer, every table is read faster.".to_owned();
    let mut claims = vec![judged(faster, &found, [f64::NEG_INFINITY, 0.0])];
    if let Some((least, most)) = published.network_gains() {
        let (least, most) = (least.round(), most.round());
        claims.push(judged(
            format!(
                "Dropping the network layer is worth {least:.0} to {most:.0} % on every table."
            ),
            &found,
            // As far as whole percents go.
            [-most - 0.5, -least + 0.5],
        ));
    }
    claims
}

fn hash(measured: &Measured) -> Claim {
    let text = "The table found by a hash is faster than the heap, on every path.".to_owned();
    judged(text, &of_tables(measured, &["t3"]), [f64::NEG_INFINITY, 0.0])
}

/// Compares, round by round, what the network changes with what the table changes at most.
fn dominance(measured: &Measured) -> Claim {
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
    let text = "Round trip and driver dominate: the path matters more than the table.".to_owned();
    let mut claim = judged(text, &found.collect::<Vec<_>>(), [0.0, f64::INFINITY]);
    claim.why.insert_str(0, "By how much the path's factor is greater than the table's: ");
    claim
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

fn judged(text: String, found: &[Found], [low, high]: [f64; 2]) -> Claim {
    let many = found.len();
    let found = found.iter().filter_map(|(name, logs)| Some((name, Interval::of(logs, many)?)));
    let found: Vec<(&String, Interval)> = found.collect();
    let is_inside = |(_, at): &(&String, Interval)| at.low >= low && at.high <= high;
    let is_outside = |(_, at): &(&String, Interval)| at.high < low || at.low > high;
    let verdict = match found.as_slice() {
        [] => Verdict::CannotTell,
        found if found.iter().any(is_outside) => Verdict::DoesNotHold,
        found if found.iter().all(is_inside) => Verdict::Holds,
        _ => Verdict::CannotTell,
    };
    let words: Vec<String> =
        found.iter().map(|(name, at)| format!("{name} {}", said(*at))).collect();
    let why = match words.is_empty() {
        true => "It was not measured.".to_owned(),
        false => format!("{}.", words.join("; ")),
    };
    Claim { text, verdict, why }
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
            host: crate::result::HostFacts::default(),
            interrupted: false,
        }
    }

    fn verdicts(figures: &[(usize, &'static str, f64)]) -> Vec<&'static str> {
        let claims = claims(&Published::read().unwrap(), &measured(figures));
        claims.iter().map(|claim| claim.verdict.words()).collect()
    }

    #[test]
    fn as_published() {
        let figures = [
            (0, "t1", 12.987),
            (0, "t2", 12.698),
            (0, "t3", 12.455),
            (1, "t1", 10.454),
            (1, "t2", 10.272),
            (1, "t3", 9.886),
        ];
        assert_eq!(
            verdicts(&figures),
            ["holds", "holds", "holds", "holds", "holds", "cannot tell"]
        );
    }

    #[test]
    fn the_opposite() {
        let figures =
            [(0, "t1", 10.0), (0, "t2", 5.0), (0, "t3", 11.0), (1, "t1", 10.1), (1, "t3", 10.5)];
        let expected = ["does not hold"; 5];
        assert_eq!(verdicts(&figures)[..5], expected);
    }

    #[test]
    fn too_little() {
        assert_eq!(verdicts(&[]), ["cannot tell"; 6]);
        let mut one = measured(&[(0, "t1", 10.0), (1, "t1", 8.0)]);
        one.series.iter_mut().for_each(|series| series.seconds.truncate(1));
        let claims = claims(&Published::read().unwrap(), &one);
        assert!(claims.iter().all(|claim| claim.verdict == Verdict::CannotTell), "{claims:?}");
        assert!(claims[1].why.contains("-20.0 % (too few runs to tell)"), "{claims:?}");
    }
}
