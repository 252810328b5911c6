//! `duet bench compare`: results against the first of them.

use duet_bench::compare::{Ending, compare};

use super::read;
use crate::args;
use crate::report::{Failure, Outcome, print};

pub(super) fn run(arguments: &args::BenchCompare) -> Outcome {
    let results = read(&arguments.results)?;
    let comparison = compare(&results, &arguments.verdicts.rules(), arguments.anyway)?;
    print(&if arguments.json { comparison.to_json() } else { comparison.text() })?;
    match comparison.ending() {
        Ending::Fine => Ok(()),
        Ending::Refused => Err(Failure::Code(1, String::new())),
        Ending::Slower => Err(Failure::Code(2, String::new())),
        Ending::CannotTell if arguments.strict => Err(Failure::Code(3, String::new())),
        Ending::CannotTell => Ok(()),
    }
}
