//! `duet bench ab`: two targets in turns, and which of them is faster.

use duet_bench::judge::{self, Row, Rules};
use duet_bench::series::{Figures, Turns, ending};
use duet_model::{Code, Error};
use serde::Serialize;

use super::run::{plan_of, prepare_workload};
use super::series::{Series, exit, slice};
use super::session::Prepared;
use crate::args::{Asked, BenchAb, BenchRun};
use crate::report::{Outcome, print};

/// What is kept.
#[derive(Serialize)]
struct Kept<'a> {
    targets: &'a [String],
    rules: Rules,
    turns: &'a Turns,
    rows: &'a [Row],
}

pub(super) fn run(arguments: &BenchAb) -> Outcome {
    let asked = &arguments.asked;
    asked.refuse(&["duration"])?;
    let [a, b] = &*asked.targets else {
        let message = format!("Two targets are compared; {} given.", asked.targets.len());
        return Err(Error::new(Code::Setting, message).hint("Give --target twice.").into());
    };
    let mut sides = [prepared(asked, a)?, prepared(asked, b)?];
    let plan = plan_of(&asked.run);
    let mut series = Series::begin("ab", asked);
    print(&format!("A is {}\nB is {}\n", sides[0].target.address, sides[1].target.address))?;
    let mut turns = Turns::new(2, arguments.pairs, true);
    while let Some(turn) = turns.next_turn() {
        let name = match (turn.side, turn.counts) {
            (0, true) => format!("A {}", turn.round + 1),
            (_, true) => format!("B {}", turn.round + 1),
            (0, false) => "A warm-up".into(),
            (_, false) => "B warm-up".into(),
        };
        let plan = slice(&plan, arguments.slice, turn.round);
        let result = series.run(&name, &plan, &mut sides[turn.side])?;
        if series.is_over() {
            break;
        }
        turns.take(Figures::of(&result));
    }
    tell(arguments, &series, &turns)
}

fn prepared(asked: &Asked, target: &str) -> Outcome<Prepared> {
    prepare_workload(&BenchRun { target: Some(target.to_owned()), ..asked.run.clone() })
}

fn tell(arguments: &BenchAb, series: &Series, turns: &Turns) -> Outcome {
    let (rows, left_out) = turns.rows(1);
    let rules = arguments.rules();
    let rows = judge::judge(rows, &rules);
    let pairs = turns.complete();
    let mut text = format!("\nB against A, {pairs} pairs\n\n{}", judge::table("A", "B", &rows));
    for line in left_out {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!(
        "Judged together (Holm). Changes up to {} % count as none.\n",
        arguments.threshold_percent
    ));
    let targets = [0, 1].map(|side| without_password(&arguments.asked.targets[side]));
    series.write_json("ab.json", &Kept { targets: &targets, rules, turns, rows: &rows })?;
    let path = series.write("ab.txt", &text)?;
    print(&format!("{text}Saved to {}\n", path.display()))?;
    series.agreed()?;
    exit(ending(&rows), arguments.strict)
}

/// A target without the user's secret.
pub(super) fn without_password(target: &str) -> String {
    let Some((scheme, rest)) = target.split_once("://") else {
        let words = target.split_whitespace().filter(|word| !word.starts_with("password"));
        return words.collect::<Vec<_>>().join(" ");
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    format!("{scheme}://{place}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_without_secrets() {
        for (target, told) in [
            ("http://a:1/b", "http://a:1/b"),
            ("postgres://me:secret@h:5/d?password=x", "postgres://h:5/d"),
            ("host=h password=secret dbname=d", "host=h dbname=d"),
            ("unix:/run/d.sock:/ords/", "unix:/run/d.sock:/ords/"),
        ] {
            assert_eq!(without_password(target), told);
        }
    }
}
