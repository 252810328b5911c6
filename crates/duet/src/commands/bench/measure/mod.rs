//! `duet bench run`: decides by its arguments whether it is one run, a comparison, a sweep or a plan
//! of JMeter; and the earlier names of these commands.

pub(super) mod ab;
pub(super) mod find_max;
mod paths;
mod release_data;
mod releases;
mod sweep;

use crate::args::{BenchMeasure, Measurement};
use crate::report::{Outcome, renamed as note_new_name};

pub(super) fn run(arguments: &BenchMeasure) -> Outcome {
    start(arguments, arguments.measurement()?)
}

/// Runs a command by its earlier name.
pub(super) fn renamed(name: &str, arguments: &BenchMeasure, measurement: Measurement) -> Outcome {
    let now = match measurement {
        Measurement::Targets => "`duet bench run` with two targets",
        Measurement::Builds => "`duet bench run --server`",
        Measurement::Paths => "`duet bench run --paths`",
        Measurement::Sweep => "`duet bench run --users 1,2,4`, or --layouts",
        Measurement::Single | Measurement::Plan => "`duet bench run`",
    };
    note_new_name(&format!("duet bench {name}"), now);
    start(arguments, measurement)
}

fn start(arguments: &BenchMeasure, measurement: Measurement) -> Outcome {
    arguments.refuse_foreign(measurement)?;
    match measurement {
        Measurement::Single => super::run::run(&arguments.options.run),
        Measurement::Targets => ab::run(arguments),
        Measurement::Sweep => sweep::run(arguments),
        Measurement::Builds => releases::run(arguments),
        Measurement::Paths => paths::run(arguments),
        Measurement::Plan => super::run::run(arguments.plan()?),
    }
}
