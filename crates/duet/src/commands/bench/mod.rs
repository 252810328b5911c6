//! `duet bench`: one file per command.

mod agent;
mod disagreement;
mod ending;
mod import;
mod measure;
mod next;
mod replay;
mod results;
mod run;
pub(super) mod started;
#[cfg(test)]
mod tests;
mod torture;
mod trust;

use std::io;

use duet_bench::run::{Workplace, serve_process};
use duet_workloads::registry;

use crate::args::{Bench, BenchCommand, Measurement};
use crate::report::Outcome;

pub(super) fn run(arguments: &Bench) -> Outcome {
    let makes_nothing = matches!(
        &arguments.command,
        BenchCommand::Agent(_)
            | BenchCommand::Import(_)
            | BenchCommand::Load(_)
            | BenchCommand::Report(_)
            | BenchCommand::Compare(_)
            | BenchCommand::Merge(_)
            | BenchCommand::Selftest(_)
            | BenchCommand::Torture(_)
            | BenchCommand::Validate(_)
            | BenchCommand::LookupOnce
            | BenchCommand::Spin { .. }
            | BenchCommand::Worker { .. }
    );
    if !makes_nothing {
        // Before any object that must be removed again is created.
        started::signals::watch();
    }
    match &arguments.command {
        BenchCommand::Run(arguments) => measure::run(arguments),
        BenchCommand::Load(arguments) => super::load::run_data_set(&arguments.load),
        BenchCommand::Replay(arguments) => replay::run(arguments),
        BenchCommand::Ab(arguments) => measure::renamed("ab", arguments, Measurement::Targets),
        BenchCommand::Releases(arguments) => {
            measure::renamed("releases", arguments, Measurement::Builds)
        }
        BenchCommand::Paths(arguments) => measure::renamed("paths", arguments, Measurement::Paths),
        BenchCommand::FindMax(arguments) => measure::find_max::run(arguments),
        BenchCommand::Sweep(arguments) => measure::renamed("sweep", arguments, Measurement::Sweep),
        BenchCommand::Import(arguments) => import::run(arguments),
        BenchCommand::Jmeter(arguments) => measure::renamed("jmeter", arguments, Measurement::Plan),
        BenchCommand::Report(arguments) => results::report::run(arguments),
        BenchCommand::Compare(arguments) => results::compare::run(arguments),
        BenchCommand::Merge(arguments) => results::merge::run(arguments),
        BenchCommand::Selftest(arguments) => trust::test(arguments),
        BenchCommand::Torture(arguments) => torture::run(arguments),
        BenchCommand::Agent(arguments) => agent::run(arguments),
        BenchCommand::Validate(arguments) => trust::validate(arguments),
        BenchCommand::LookupOnce => replay::rowstore::once(),
        BenchCommand::Spin { processor } => started::spinners::spin(*processor),
        BenchCommand::Worker { allowed, folder } => {
            started::signals::leave_to_the_first();
            let folder = folder.as_deref();
            if let Some(folder) = folder {
                agent::confine(allowed, folder)?;
            }
            let place = Workplace { registry: registry::configured, folder };
            Ok(serve_process(io::stdin(), &mut io::stdout().lock(), &place)?)
        }
    }
}
