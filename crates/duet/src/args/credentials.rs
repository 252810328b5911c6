//! `--token` and `--client`, of which a command takes one: a flag counts before a variable, and an empty variable does
//! not count.

use std::ffi::OsString;

use clap::builder::{OsStr, Resettable};
use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

const NAMES: [&str; 2] = ["token", "client"];

/// The matches of a command line without the variables that do not count.
///
/// # Errors
/// If both are given in the same way.
pub(super) fn settled(
    command: Command,
    matches: ArgMatches,
    typed: &[OsString],
) -> Result<ArgMatches, Error> {
    let mut inner = &matches;
    while let Some((_, deeper)) = inner.subcommand() {
        inner = deeper;
    }
    match uncounted(inner)? {
        names if names.is_empty() => Ok(matches),
        names => without_variables(command, &names).try_get_matches_from(typed),
    }
}

/// Those of which the variable does not count.
fn uncounted(matches: &ArgMatches) -> Result<Vec<&'static str>, Error> {
    let given = |name: &&str| {
        let text = matches.try_get_one::<String>(name).ok().flatten()?;
        let source = matches.value_source(name)?;
        Some((source, text.is_empty() && source == ValueSource::EnvVariable))
    };
    let (empty, counted): (Vec<&str>, Vec<&str>) =
        NAMES.into_iter().partition(|name| given(name).is_some_and(|(_, is_empty)| is_empty));
    let source =
        |name: &str| given(&name).filter(|_| counted.contains(&name)).map(|(source, _)| source);
    let beaten = match NAMES.map(source) {
        [Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable)] => Some(NAMES[1]),
        [Some(ValueSource::EnvVariable), Some(ValueSource::CommandLine)] => Some(NAMES[0]),
        [Some(token), Some(client)] if token == client => {
            let message = match token {
                ValueSource::CommandLine => "--token and --client were given. Give one of them.\n",
                _ => {
                    "The environment has a token and a client for this command. Set one of the variables, or give a flag.\n"
                }
            };
            return Err(Error::raw(ErrorKind::ArgumentConflict, message));
        }
        _ => None,
    };
    Ok(empty.into_iter().chain(beaten).collect())
}

/// A command that does not read the variables of these arguments.
fn without_variables(command: Command, names: &[&str]) -> Command {
    let unread = |argument: clap::Arg| match names.contains(&argument.get_id().as_str()) {
        true => argument.env(Resettable::<OsStr>::Reset),
        false => argument,
    };
    command.mut_args(unread).mut_subcommands(|inner| without_variables(inner, names))
}
