//! The commands, one file each; those of a kind share a folder.

mod advise;
mod apps;
mod bench;
mod check;
mod client;
mod collection;
mod copy;
mod demo;
mod drafts;
mod explain;
mod import;
mod indexes;
mod journal;
mod load;
mod migrate;
mod operator;
mod prepare;
mod serve;
mod service;
mod shell;
mod sources;
mod tenants;

use crate::args::Command;
use crate::report::Outcome;

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Outcome {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Init(arguments) => drafts::init::run(&arguments),
        Command::Infer(arguments) => drafts::infer::run(&arguments),
        Command::Import(arguments) => import::run(&arguments.system),
        Command::Apps => apps::run(),
        Command::Load(arguments) => load::run(&arguments),
        Command::Client(arguments) => client::run(arguments.action),
        Command::Token(arguments) => operator::token::run(&arguments),
        Command::Mcp(arguments) => operator::mcp::run(&arguments),
        Command::Types(arguments) => operator::types::run(&arguments),
        Command::Changes(arguments) => operator::changes::run(&arguments),
        Command::Service(arguments) => service::run(&arguments.action),
        Command::Prepare(arguments) => prepare::run(&arguments),
        Command::Collection(arguments) => collection::run(&arguments.action),
        Command::Advise(arguments) => advise::run(&arguments),
        Command::Copy(arguments) => copy::run(&arguments),
        Command::Migrate(arguments) => migrate::run(&arguments),
        Command::Tenant(arguments) => tenants::tenant::run(&arguments.action),
        Command::Indexes(arguments) => indexes::run(&arguments),
        Command::Status(arguments) => operator::status::run(&arguments),
        Command::Rowstore(arguments) => operator::rowstore::run(&arguments),
        Command::Journal(arguments) => journal::run(&arguments.action),
        Command::Webhook(arguments) => operator::webhook::run(&arguments.action),
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    }
}
