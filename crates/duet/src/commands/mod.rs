//! The commands, one file each.

mod admin;
mod advise;
mod application_data;
mod apps;
mod bench;
mod check;
mod client;
mod collection;
mod data_set;
mod database;
mod demo;
mod demo_folder;
mod explain;
mod hosting;
mod indexes;
mod infer;
mod init;
mod journal;
mod load;
mod migrate;
mod new_file;
mod provision;
mod rowstore;
mod serve;
mod server_role;
mod service;
mod shell;
mod source;
mod status;
mod table_scripts;
mod tenant;
mod tenant_place;
mod tenant_source;
mod token;

use crate::args::Command;
use crate::report::Outcome;

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Outcome {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Infer(arguments) => infer::run(&arguments),
        Command::Apps => apps::run(),
        Command::Load(arguments) => load::run(&arguments),
        Command::Client(arguments) => client::run(arguments.action),
        Command::Token(arguments) => token::run(&arguments),
        Command::Service(arguments) => service::run(&arguments.action),
        Command::Collection(arguments) => collection::run(&arguments.action),
        Command::Advise(arguments) => advise::run(&arguments),
        Command::Migrate(arguments) => migrate::run(&arguments),
        Command::Tenant(arguments) => tenant::run(&arguments.action),
        Command::Indexes(arguments) => indexes::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Rowstore(arguments) => rowstore::run(&arguments),
        Command::Journal(arguments) => journal::run(&arguments.action),
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    }
}
