//! `duet bench run` with two targets: measures two targets alternately, and reports which is faster.

use std::time::Duration;

use duet_bench::targets::sql::DatabaseAddress;
use duet_verdict::compare::COLUMNS_OF_PAIRS;
use duet_verdict::judge::{self, Row, Rules};
use duet_verdict::series::{Failures, InterleavedTrials, TrialFigures, ending};
use duet_verdict::text::{COLUMNS, wrap};
use serde::Serialize;

use crate::args::{BenchMeasure, BenchRun, SeriesOptions};
use crate::command_error::CommandError;
use crate::commands::bench::ending::{NO_VERDICT, end_comparison};
use crate::commands::bench::next::{next, report};
use crate::commands::bench::run::series::{Series, trial_plan};
use crate::commands::bench::run::sql_target::{is_same, named};
use crate::commands::bench::run::{plan_of, prepare_again, prepare_workload};
use crate::report::{Outcome, print};

/// The default pairs of trials, the measured time of a trial, and its warm-up.
const PAIRS: u32 = 10;
const SLICE: Duration = Duration::from_secs(3);
const WARM_UP: Duration = Duration::from_millis(500);

/// The saved outcome.
#[derive(Serialize)]
struct SavedComparison<'a> {
    targets: &'a [String],
    rules: Rules,
    trials: &'a InterleavedTrials,
    rows: &'a [Row],
    /// Failures of both sides.
    failures: &'a [Failures; 2],
}

pub(in crate::commands::bench) fn run(arguments: &BenchMeasure) -> Outcome {
    let options = &arguments.options;
    options.refuse(&[])?;
    let [a, b] = &*options.targets else {
        let message = format!("Give two targets; {} given.", options.targets.len());
        let hint = "Such as: duet bench run http://HOST/a http://HOST/b";
        return Err(CommandError::usage(message).hint(hint));
    };
    let pairs = arguments.rounds.unwrap_or(PAIRS);
    if pairs < 2 {
        let message = "Two targets need at least two rounds: each is a pair of trials.";
        return Err(CommandError::usage(message));
    }
    let mut series = Series::begin("ab", options)?;
    let first = prepare_workload(&asked_of(options, a))?;
    let second = match is_same(a, b) {
        true => prepare_again(&asked_of(options, b), &first.job)?,
        false => prepare_workload(&asked_of(options, b))?,
    };
    let mut sides = [first, second];
    let mut plan = plan_of(&options.run);
    if !options.is_given("warmup") {
        plan.phases.warm_up = WARM_UP;
    }
    let slice = options.run.duration.or(arguments.slice).unwrap_or(SLICE);
    print(&format!("A is {}\nB is {}\n", sides[0].target.address, sides[1].target.address))?;
    let mut trials = InterleavedTrials::new(2, pairs, true);
    let mut failures = [Failures::default(), Failures::default()];
    while let Some(trial) = trials.next_trial() {
        let name = match (trial.side, trial.counts) {
            (0, true) => format!("A {}", trial.round + 1),
            (_, true) => format!("B {}", trial.round + 1),
            (0, false) => "A warm-up".into(),
            (_, false) => "B warm-up".into(),
        };
        let plan = trial_plan(&plan, slice, trial.round);
        let result = series.run(&name, &plan, &mut sides[trial.side])?;
        if series.is_over() {
            break;
        }
        if trial.counts {
            failures[trial.side].add(&result);
        }
        trials.take(TrialFigures::of(&result));
    }
    print_outcome(arguments, &series, &trials, &failures)
}

fn asked_of(options: &SeriesOptions, target: &str) -> BenchRun {
    BenchRun { target: Some(target.to_owned()), ..options.run.clone() }
}

fn print_outcome(
    arguments: &BenchMeasure,
    series: &Series,
    trials: &InterleavedTrials,
    failures: &[Failures; 2],
) -> Outcome {
    let (rows, left_out) = trials.rows(1);
    let rules = arguments.rules();
    let rows = judge::judge(rows, &rules);
    let pairs = trials.complete();
    let mut text = format!("\nB against A, {pairs} pairs\n\n{}", judge::table("A", "B", &rows));
    for line in left_out {
        text.push_str(&format!("{line}\n"));
    }
    for (name, failures) in ["A", "B"].into_iter().zip(failures) {
        text.push_str(&wrap(&format!("{name}: {}\n", failures.sentence()), COLUMNS, "   "));
    }
    text.push_str(&format!(
        "Judged together (Holm). Changes up to {} % count as none.\n{COLUMNS_OF_PAIRS}\n",
        arguments.threshold_percent
    ));
    let targets = [0, 1].map(|side| without_password(&arguments.options.targets[side]));
    series.write_json(
        "ab.json",
        &SavedComparison { targets: &targets, rules, trials, rows: &rows, failures },
    )?;
    let path = series.write("ab.txt", &text)?;
    let last = ["A", "B"].map(|side| series.last_of(side));
    let next = match &last {
        [Some(a), Some(b)] => next(&[report(&[a, b])]),
        _ => String::new(),
    };
    print(&format!("{text}Saved to {}\n{next}", path.display()))?;
    series.end_live(&path);
    series.agreed()?;
    end_comparison(ending(&rows), arguments.strict, || NO_VERDICT.to_owned())
}

/// A target without the user's secret.
pub(in crate::commands::bench) fn without_password(target: &str) -> String {
    if let Ok(database @ DatabaseAddress::Postgres(_)) = named(target) {
        return database.address();
    }
    let Some((scheme, rest)) = target.split_once("://") else { return target.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    format!("{scheme}://{place}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_shown_without_secrets() {
        for (target, told) in [
            ("http://a:1/b", "http://a:1/b"),
            ("postgres://me:secret@h:5/d?password=x", "postgres://h:5/d"),
            ("postgres://me@/d?host=/run&port=7", "postgres:///d?host=/run&port=7"),
            ("host=h password='a secret' dbname=d", "postgres://h:5432/d"),
            ("http://me:secret@h/d?token=x", "http://h/d"),
            ("unix:/run/d.sock:/ords/", "unix:/run/d.sock:/ords/"),
        ] {
            assert_eq!(without_password(target), told);
        }
    }
}
