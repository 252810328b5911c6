//! `duet bench`: one file per thing that it does.

mod own_server;
mod replay;
mod run;
mod session;

use std::io;

use duet_bench::run::serve_process;

use crate::args::{Bench, BenchCommand};
use crate::report::Outcome;

pub(super) fn run(arguments: &Bench) -> Outcome {
    match &arguments.command {
        BenchCommand::Run(arguments) => run::run(arguments),
        BenchCommand::Replay(arguments) => replay::run(arguments),
        BenchCommand::Worker => Ok(serve_process(io::stdin(), &mut io::stdout().lock())?),
    }
}
