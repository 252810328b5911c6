//! `duet bench selftest` and `duet bench validate`: check whether figures can be trusted.

use std::path::{Path, PathBuf};

use duet_bench::run::is_unfinished;
use duet_bench::selftest;
use duet_bench::workload::cannot;
use duet_verdict::result::{LogReader, RunResult, Statement, compare_log};
use duet_verdict::stored_result::consistent_file;
use duet_workloads::built_in::BuiltIn;
use duet_workloads::registry;

use super::ending::MeasurementEnding;
use super::measure::ab::without_password;
use super::next::{next, quoted, report};
use super::results::files;
use crate::args::{BenchSelftest, BenchValidate};
use crate::command_error::{CommandError, ExitStatus};
use crate::commands::sources::data_set;
use crate::report::{Outcome, print};

pub(super) fn test(arguments: &BenchSelftest) -> Outcome {
    let tested = selftest::run(arguments.quick);
    let tested = tested.map_err(|failed| cannot("The bench cannot test itself", &failed))?;
    let lines = tested.lines;
    let failed = lines.iter().filter(|line| !line.holds).count();
    let next = next(&after_test(arguments.quick, failed));
    print(&format!("{}{}{next}", selftest::table(&lines), tested.others))?;
    match failed {
        0 => Ok(()),
        failed => {
            let text =
                format!("error: {failed} of {} figures differ from the truth\n", lines.len());
            Err(MeasurementEnding::Disagreement.saying(text))
        }
    }
}

/// Suggests a run if the figures can be trusted, or the whole test after a quick one or a wrong
/// figure.
fn after_test(quick: bool, failed: usize) -> Vec<String> {
    let whole = "duet bench selftest".to_owned();
    match (quick, failed) {
        (_, 1..) => vec![whole],
        (true, 0) => vec![whole, RUN.into()],
        (false, 0) => vec![RUN.into()],
    }
}

/// The command for a first run.
const RUN: &str = "duet bench run rest";

pub(super) fn validate(arguments: &BenchValidate) -> Outcome {
    match (registry::data(&arguments.what), &arguments.database) {
        (Some((workload, set)), Some(database)) => match data_set::validate(set, database) {
            Err(CommandError::Ended(ExitStatus::Failed, text)) => {
                Err(MeasurementEnding::Disagreement.saying(text))
            }
            Ok(()) => print(&next(&load_tests(workload, database))),
            other => other,
        },
        (Some(_), None) => {
            let error = CommandError::usage("Which database has the data set?");
            Err(error.hint("Name it with --database, postgres://… or sqlite:PATH."))
        }
        (None, Some(_)) => {
            let message = format!("There is no data set {:?}.", arguments.what);
            let names = registry::data_names();
            let (first, last) = names.rsplit_once(", ").unwrap_or(("", &names));
            let hint = format!("There are {first} and {last}.");
            Err(CommandError::usage(message).hint(hint))
        }
        (None, None) => result(&arguments.what),
    }
}

/// A run on a data set, if a workload uses it.
fn load_tests(workload: &dyn BuiltIn, database: &str) -> Vec<String> {
    let target = quoted(&without_password(database));
    let first = workload.runs().first();
    first.map(|run| format!("duet bench run {} --target {target}", run.name)).into_iter().collect()
}

/// Checks the figures of a result for consistency.
fn result(path: &str) -> Outcome {
    let file = PathBuf::from(path);
    let results = files::read_unchecked(std::slice::from_ref(&file))?;
    let mut statements: Vec<_> = results.iter().flat_map(consistent_file).collect();
    let mut text = String::new();
    match files::log(&file)? {
        // Of a killed run there is what is left of it.
        _ if is_unfinished(&file) => {}
        Some(log) => statements.extend(results.first().map(|result| of_log(result, log))),
        None => {
            let log = files::path_of_log(&file);
            text.push_str(&format!("There are no histograms of seconds in {}.\n", log.display()));
        }
    }
    for statement in statements.iter().filter(|statement| !statement.holds) {
        text.push_str(&format!("FAILED {}: {}\n", statement.name, statement.found));
    }
    let held = statements.iter().filter(|statement| statement.holds).count();
    text.push_str(&format!("{held} of {} checks passed.\n", statements.len()));
    match held == statements.len() {
        true => print(&format!("{text}{}", next(&[report(&[Path::new(path)])]))),
        false => Err(MeasurementEnding::Disagreement.saying(text)),
    }
}

/// Compares a result with the log beside it.
fn of_log(result: &RunResult, log: LogReader<'_>) -> Statement {
    let found = compare_log(result, log).map_or_else(|why| why.to_string(), |()| String::new());
    let name = "the histograms beside it are those of its seconds".to_owned();
    Statement { name, holds: found.is_empty(), found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_follow() {
        let text = |quick, failed| after_test(quick, failed).join(", ");
        assert_eq!(text(false, 0), "duet bench run rest");
        assert_eq!(text(true, 0), "duet bench selftest, duet bench run rest");
        assert_eq!((text(true, 1), text(false, 2)), (text(false, 1), "duet bench selftest".into()));
        let commands = load_tests(&duet_workloads::soe::Entry, "postgres://me:secret@h:5/d");
        assert_eq!(commands, ["duet bench run soe-client --target postgres://h:5/d"]);
    }
}
