//! The options that `duet bench run` and `duet bench find-max` share: a workload, targets by their
//! URLs, and the load. Options of one run alone are rejected where several are made.

use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use duet_verdict::threshold::Rule;

use super::run::{BenchRun, positive_duration};
use super::workloads;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// Options of one run alone.
pub(in crate::args) const ALONE: [&str; 13] = [
    "transactions",
    "iterations",
    "steps",
    "cooldown",
    "thresholds",
    "abort_on_fail",
    "dry_run",
    "show",
    "name",
    "jtl",
    "gatling",
    "quiet",
    "json",
];

/// The options of a run, some of which may be repeated.
#[derive(Debug)]
pub(crate) struct SeriesOptions {
    /// All options; of repeated ones the first value.
    pub(crate) run: BenchRun,
    /// All targets: the URLs behind the workload, then the values of `--target`.
    pub(crate) targets: Vec<String>,
    /// All values of `--users`.
    pub(crate) users: Vec<u32>,
    /// The options on the command line, by id.
    given: Vec<String>,
}

impl SeriesOptions {
    /// Whether an option is on the command line.
    pub(crate) fn is_given(&self, id: &str) -> bool {
        self.given.iter().any(|given| given == id)
    }

    /// Rejects options of one run alone, and these.
    ///
    /// # Errors
    /// `CommandLine` if one is given.
    pub(crate) fn refuse(&self, ids: &[&str]) -> Outcome {
        let foreign: Vec<&str> =
            ALONE.iter().chain(ids).copied().filter(|id| self.is_given(id)).collect();
        let alone = foreign.iter().filter(|id| ALONE.contains(id)).count();
        let hint = match (alone, foreign.len()) {
            (0, _) => "`--help-all` lists the options that have one.",
            (1, 1) => "It is for a single run. `--help-all` lists the options of several.",
            _ => "Some are for a single run. `--help-all` lists the options of several.",
        };
        refuse_all(&foreign, "no meaning here", hint)
    }

    /// The given options that are none of these.
    pub(crate) fn given_beside<'a>(&'a self, ids: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.given.iter().map(String::as_str).filter(move |given| !ids.contains(given))
    }
}

/// Rejects options by their ids, all in one message.
///
/// # Errors
/// `CommandLine` if there is one.
pub(crate) fn refuse_all(ids: &[&str], lacks: &str, hint: &str) -> Outcome {
    if ids.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = ids.iter().map(|id| format!("`{}`", typed_name(id))).collect();
    let verb = if ids.len() == 1 { "has" } else { "have" };
    let message = format!("{} {verb} {lacks}.", names.join(", "));
    Err(CommandError::usage(message).hint(hint))
}

/// An option as it is typed.
pub(crate) fn typed_name(id: &str) -> String {
    match id {
        "thresholds" => "--threshold".to_owned(),
        "servers" => "--server".to_owned(),
        "resources" => "--resource".to_owned(),
        "properties" => "-J".to_owned(),
        other => format!("--{}", other.replace('_', "-")),
    }
}

/// Whether a word is the URL of a service.
pub(crate) fn is_service(word: &str) -> bool {
    let schemes = ["http://", "https://", "http+unix://", "unix:"];
    schemes.iter().any(|scheme| word.starts_with(scheme))
}

/// Whether a word is the URL of a service or of a database.
pub(crate) fn is_target(word: &str) -> bool {
    let schemes = ["postgres://", "postgresql://", "sqlite:"];
    is_service(word) || schemes.iter().any(|scheme| word.starts_with(scheme))
}

/// The workload of a service that is given by its URL alone, and of builds.
const REST: &str = "rest";

/// The workload among the words of a command line that are no URLs.
fn workload_of(names: &[String], targets: &[String], has_servers: bool) -> Result<String, String> {
    match names {
        [name] => Ok(name.clone()),
        [_, second, ..] => Err(format!("{second:?} is not the URL of a target")),
        [] if has_servers => Ok(REST.to_owned()),
        [] if targets.is_empty() => Err("name a workload or the URL of a service".to_owned()),
        [] => match targets.iter().find(|target| !is_service(target)) {
            None => Ok(REST.to_owned()),
            Some(_) => Err("a database needs the name of a workload before its URL".to_owned()),
        },
    }
}

impl Args for SeriesOptions {
    fn augment_args(command: Command) -> Command {
        let command = BenchRun::augment_args(command).mut_arg("workload", words);
        ALONE.iter().fold(command, |command, id| command.mut_arg(id, hidden))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SeriesOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let told = |id: &&clap::Id| {
            // Groups of options have ids too.
            let is_group = id.as_str() == "arrivals" || id.as_str().starts_with(char::is_uppercase);
            !is_group && matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)
        };
        let given: Vec<String> = matches.ids().filter(told).map(ToString::to_string).collect();
        let is_given = |id: &str| given.iter().any(|given| given == id);
        let words = match is_given("workload") {
            true => all(matches, "workload"),
            false => Vec::new(),
        };
        let (urls, names): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| is_target(word));
        let targets = [urls, all(matches, "target")].concat();
        let users = matches.get_many("users").map(|all| all.copied().collect());
        let workload = workload_of(&names, &targets, is_given("servers"))
            .map_err(|message| wrong(ErrorKind::MissingRequiredArgument, &message))?;
        let run = BenchRun::from_arg_matches_mut(matches)?;
        if run.scale.is_some() && !targets.is_empty() {
            let message = "--scale is for data that a run makes: leave out the target or --scale";
            return Err(wrong(ErrorKind::ArgumentConflict, message));
        }
        let run = BenchRun { workload, target: targets.first().cloned(), ..run };
        Ok(Self { targets, users: users.unwrap_or_default(), given, run })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// All values of an argument.
fn all(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.get_many(id).map(|all| all.cloned().collect()).unwrap_or_default()
}

fn wrong(kind: ErrorKind, message: &str) -> clap::Error {
    clap::Error::raw(kind, format!("{message}\n"))
}

fn words(arg: Arg) -> Arg {
    arg.action(ArgAction::Append)
        .num_args(1..)
        .required(false)
        .default_value(REST)
        .hide_default_value(true)
        .value_name("WORKLOAD|URL")
        .help(workloads::words())
}

fn hidden(arg: Arg) -> Arg {
    arg.hide(true)
}

fn a_trial(arg: Arg) -> Arg {
    arg.help("The measured time of a trial [default: 10s]")
}

fn before_each(arg: Arg) -> Arg {
    arg.help("Full load before the measured time of each trial, not counted [default: 2s]")
}

/// Find the highest rate that meets thresholds
///
/// Closed runs with 1, 2, 4 … users estimate the throughput. Open runs search for the highest rate
/// that meets the thresholds, until a passing rate and a failing one are within 2 %. Two of three
/// runs decide; a longer one confirms, and so does the way down from an overload. Trials in which
/// the load generator was the bottleneck or other programs used the machine are discarded and
/// repeated, a few times.
#[derive(Debug, Args)]
#[command(
    after_help = FIND_MAX_ENDS,
    mut_arg("rate", hidden),
    mut_arg("layout", hidden),
    mut_arg("think", hidden),
    mut_arg("pacing", hidden),
    mut_arg("ramp_up", hidden),
    mut_arg("xml", hidden),
    mut_arg("duration", a_trial),
    mut_arg("warmup", before_each)
)]
pub(crate) struct BenchFindMax {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// A threshold to meet, such as response.p99<20ms; may be given several times
    #[arg(long = "slo", value_name = "LIMIT", required = true)]
    pub(crate) limits: Vec<Rule>,
    /// The limit of the whole search; it reports what is known by then [default: twice the usual
    /// time of such a search, which is announced]
    #[arg(long, value_name = "DURATION", value_parser = positive_duration)]
    pub(crate) within: Option<Duration>,
    /// The measured time of each closed run
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = positive_duration)]
    pub(crate) probe: Duration,
    /// The measured time of the confirming run
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = positive_duration)]
    pub(crate) confirm: Duration,
    /// The largest number of users of closed runs
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) most_users: u32,
}

const FIND_MAX_ENDS: &str = "\
Example:
  duet bench find-max rest --slo 'response.p99<20ms'

Exit codes: 0 a rate was found and confirmed; 1 it could not be measured; 2 wrong command line; 3 no rate \
passed, or none was confirmed; 4 counts or data do not agree; 130 stopped by Ctrl-C.";

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(words: &[&str], has_servers: bool) -> Result<String, String> {
        let words = words.iter().map(|word| (*word).to_owned());
        let (urls, names): (Vec<_>, Vec<_>) = words.partition(|word| is_target(word));
        workload_of(&names, &urls, has_servers)
    }

    #[test]
    fn the_workload_of_some_words() {
        for (words, expected) in [
            (&["http://h/a"][..], "rest"),
            (&["unix:/run/d:/a", "https://h/a"], "rest"),
            (&["lookup", "postgres:///d"], "lookup"),
            (&["a/shop.toml", "sqlite:a.db"], "a/shop.toml"),
            (&["rest"], "rest"),
        ] {
            assert_eq!(workload(words, false).as_deref(), Ok(expected));
        }
        assert_eq!(workload(&[], true).as_deref(), Ok("rest"));
        for (words, message) in [
            (&[][..], "name a workload or the URL of a service"),
            (&["postgres:///d"], "a database needs the name of a workload before its URL"),
            (&["rest", "localhost"], "\"localhost\" is not the URL of a target"),
        ] {
            assert_eq!(workload(words, false).as_ref().map_err(String::as_str), Err(message));
        }
    }

    #[test]
    fn options_as_they_are_typed() {
        assert_eq!(typed_name("ramp_up"), "--ramp-up");
        assert_eq!(typed_name("thresholds"), "--threshold");
    }
}
