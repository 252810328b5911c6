//! Runs a command with a throwaway PostgreSQL: `throwaway-postgres [--fsync] [--tcp]
//! [--setting NAME=VALUE]… [--load FILE.sql]… -- COMMAND…`. The command finds the server in `DATABASE_URL`; the server
//! and its files are gone afterwards.
#![expect(clippy::print_stderr, reason = "a command line tool speaks to its terminal")]

use std::process::{Command, ExitCode};

use duet_testkit::postgres::{Options, Server};

const USAGE: &str = "usage: throwaway-postgres [--fsync] [--tcp] [--setting NAME=VALUE]… [--load FILE.sql]… -- COMMAND [ARGUMENT]…";

/// The command line arguments.
#[derive(Default)]
struct Arguments {
    options: Options,
    tcp: bool,
    scripts: Vec<String>,
    command: Vec<String>,
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    loop {
        match words.next().as_deref() {
            Some("--fsync") => arguments.options = arguments.options.fsync(true),
            Some("--tcp") => {
                arguments.options = arguments.options.tcp();
                arguments.tcp = true;
            }
            Some("--setting") => {
                let text = words.next().unwrap_or_default();
                let (name, value) = text.split_once('=').ok_or("--setting needs NAME=VALUE")?;
                arguments.options = arguments.options.setting(name, value);
            }
            Some("--load") => {
                let file = words.next().ok_or("--load needs a file")?;
                let script = std::fs::read_to_string(&file);
                arguments.scripts.push(script.map_err(|error| format!("{file}: {error}"))?);
            }
            Some("--") => break,
            _ => return Err(USAGE.to_owned()),
        }
    }
    arguments.command.extend(words);
    if arguments.command.is_empty() { Err(USAGE.to_owned()) } else { Ok(arguments) }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let server = Server::try_start(arguments.options.clone()).map_err(|error| error.to_string())?;
    let database = server.database("throwaway");
    for script in &arguments.scripts {
        database.try_exec(script)?;
    }
    let url = if arguments.tcp { server.tcp_url("throwaway") } else { database.url() };
    let (program, rest) = arguments.command.split_first().ok_or(USAGE)?;
    let status = Command::new(program).args(rest).env("DATABASE_URL", url).status();
    let status = status.map_err(|error| format!("{program}: {error}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, Into::into))
}
