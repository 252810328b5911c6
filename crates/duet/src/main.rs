//! The binary `duet`: arguments, settings, commands.
//!
//! [`args`] parses the command line, [`settings`] combines it with the environment and `app.toml`,
//! [`application`] reads an `app.toml`, [`commands`] runs the commands.

mod allocator;
mod application;
mod args;
mod columns;
mod command_error;
mod commands;
mod configuration_error;
mod database_url;
mod heap;
mod memory;
mod report;
mod runtime;
mod serving;
mod settings;

use std::process::ExitCode;

use command_error::ExitStatus;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    heap::return_large_blocks();
    let words: Vec<_> = std::env::args_os().collect();
    if let Some(help) = args::charbench_help(&words) {
        return report::finish(report::print(&help));
    }
    if words.len() == 1 {
        report::note(args::FIRST_COMMANDS);
        return ExitStatus::Usage.into();
    }
    let typed = args::translate(args::of_jmeter(words));
    let typed = typed.unwrap_or_else(|message| {
        args::command().error(clap::error::ErrorKind::InvalidValue, message).exit()
    });
    report::finish(commands::run(args::parse(&typed).command))
}
