//! `duet bench selftest` and `duet bench validate`: whether figures can be trusted.

use std::path::PathBuf;

use duet_bench::generate::Named;
use duet_bench::result::consistent;
use duet_bench::selftest;
use duet_model::{Code, Error};

use super::run::DISAGREES;
use super::session::cannot;
use crate::args::{BenchSelftest, BenchValidate};
use crate::commands::data_set;
use crate::report::{Failure, Outcome, print};

pub(super) fn test(arguments: &BenchSelftest) -> Outcome {
    let tested = selftest::run(arguments.quick);
    let tested = tested.map_err(|failed| cannot("The bench cannot test itself", &failed))?;
    let lines = tested.lines;
    print(&format!("{}{}", selftest::table(&lines), tested.others))?;
    match lines.iter().filter(|line| !line.holds).count() {
        0 => Ok(()),
        failed => {
            let text = format!("error: {failed} of {} figures are not the truth\n", lines.len());
            Err(Failure::Code(DISAGREES, text))
        }
    }
}

pub(super) fn validate(arguments: &BenchValidate) -> Outcome {
    match (Named::find(&arguments.what), &arguments.database) {
        (Some(set), Some(database)) => match data_set::validate(set, database) {
            Err(Failure::Told(text)) => Err(Failure::Code(DISAGREES, text)),
            other => other,
        },
        (Some(_), None) => {
            let error = Error::new(Code::Setting, "Which database has the data set?");
            Err(error.hint("Name it with --database, postgres://… or sqlite:PATH.").into())
        }
        (None, Some(_)) => {
            let message = format!("There is no data set {:?}.", arguments.what);
            Err(Error::new(Code::Setting, message).hint("There are soe, retail and lookup.").into())
        }
        (None, None) => result(&arguments.what),
    }
}

/// Holds a result against itself.
fn result(path: &str) -> Outcome {
    let results = super::read(&[PathBuf::from(path)])?;
    let statements: Vec<_> = results.iter().flat_map(consistent).collect();
    let mut text = String::new();
    for statement in statements.iter().filter(|statement| !statement.holds) {
        text.push_str(&format!("FAILED {}: {}\n", statement.name, statement.found));
    }
    let held = statements.iter().filter(|statement| statement.holds).count();
    text.push_str(&format!("{held} of {} statements hold.\n", statements.len()));
    match held == statements.len() {
        true => print(&text),
        false => Err(Failure::Code(DISAGREES, text)),
    }
}
