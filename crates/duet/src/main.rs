//! The binary `duet`: arguments, settings, commands.
//!
//! [`args`] is what was typed, [`settings`] the result together with the environment and
//! `app.toml`, [`application`] what an `app.toml` says is to be served, [`commands`] what is done.

mod allocator;
mod application;
mod args;
mod commands;
mod database_url;
mod memory;
mod report;
mod serving;
mod settings;

use std::process::ExitCode;

use clap::CommandFactory as _;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    duet_db::heap::return_large_blocks();
    let typed = args::translate(std::env::args_os().collect());
    let typed = typed.unwrap_or_else(|said| {
        args::Cli::command().error(clap::error::ErrorKind::InvalidValue, said).exit()
    });
    report::finish(commands::run(args::parse(&typed).command))
}
