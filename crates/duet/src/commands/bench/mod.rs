//! `duet bench`: one file per command.

mod ab;
mod bridge;
mod compare;
mod exit_codes;
mod file;
mod file_mistake;
mod find_max;
mod host;
mod import;
mod live_page;
mod measure;
mod merge;
mod next;
mod own_server;
mod paths;
mod plan;
mod planned;
mod release_data;
mod releases;
mod replay;
mod replay_orders;
mod replay_rowstore;
mod replay_stores;
mod replay_swingbench;
mod replay_transactions;
mod replay_variants;
mod report;
mod results;
mod results_xml;
mod run;
mod run_files;
mod sample_files;
mod series;
mod series_folder;
mod served;
mod server_process;
mod service_access;
mod signals;
mod spinners;
mod spread;
mod sql_target;
mod sweep;
mod terminal_run;
#[cfg(test)]
mod tests;
mod torture;
mod trust;
mod undo;

use std::io;

use duet_bench::run::serve_process;
use duet_workloads::registry;

use crate::args::{Bench, BenchCommand, Measurement};
use crate::report::Outcome;

pub(super) fn run(arguments: &Bench) -> Outcome {
    let makes_nothing = matches!(
        &arguments.command,
        BenchCommand::Import(_)
            | BenchCommand::Load(_)
            | BenchCommand::Report(_)
            | BenchCommand::Compare(_)
            | BenchCommand::Merge(_)
            | BenchCommand::Selftest(_)
            | BenchCommand::Torture(_)
            | BenchCommand::Validate(_)
            | BenchCommand::LookupOnce
            | BenchCommand::Spin { .. }
            | BenchCommand::Worker
    );
    if !makes_nothing {
        // Before any object that must be removed again is created.
        signals::watch();
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
        BenchCommand::FindMax(arguments) => find_max::run(arguments),
        BenchCommand::Sweep(arguments) => measure::renamed("sweep", arguments, Measurement::Sweep),
        BenchCommand::Import(arguments) => import::run(arguments),
        BenchCommand::Jmeter(arguments) => measure::renamed("jmeter", arguments, Measurement::Plan),
        BenchCommand::Report(arguments) => report::run(arguments),
        BenchCommand::Compare(arguments) => compare::run(arguments),
        BenchCommand::Merge(arguments) => merge::run(arguments),
        BenchCommand::Selftest(arguments) => trust::test(arguments),
        BenchCommand::Torture(arguments) => torture::run(arguments),
        BenchCommand::Validate(arguments) => trust::validate(arguments),
        BenchCommand::LookupOnce => replay_rowstore::once(),
        BenchCommand::Spin { processor } => spinners::spin(*processor),
        BenchCommand::Worker => {
            signals::leave_to_the_first();
            Ok(serve_process(io::stdin(), &mut io::stdout().lock(), registry::configured)?)
        }
    }
}
