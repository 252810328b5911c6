//! The command line's names, help and options of workloads and data sets, from their registry.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use duet_workloads::built_in::{BuiltIn, Run, Targets};
use duet_workloads::flag::{Flag, FlagValues, Values};
use duet_workloads::registry;

/// A response that takes longer fails, unless the workload has its own default.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// Options of workloads that were given to `duet bench run`.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkloadFlags {
    pub(crate) given: FlagValues,
}

/// Options of data sets that were given to `duet bench load`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataFlags {
    pub(crate) given: FlagValues,
}

/// Options with the names of their owners, in the registry's order.
type Owned = Vec<(&'static Flag, Vec<&'static str>)>;

fn owned(all: impl IntoIterator<Item = (&'static str, &'static [Flag])>) -> Owned {
    let mut owned = Owned::new();
    for (owner, flags) in all {
        for flag in flags {
            match owned.iter_mut().find(|(known, _)| known.name == flag.name) {
                Some((_, owners)) => owners.push(owner),
                None => owned.push((flag, vec![owner])),
            }
        }
    }
    owned
}

fn of_workloads() -> Owned {
    owned(registry::all().into_iter().map(|entry| (entry.name(), entry.flags())))
}

fn of_data_sets() -> Owned {
    owned(registry::data_sets().into_iter().map(|set| (set.name(), set.flags())))
}

/// The workloads that have an option, as a phrase: `the workload retail`.
pub(crate) fn owners(flag: &str) -> String {
    let of = |owned: Owned| {
        let found = owned.into_iter().find(|(known, _)| known.name == flag);
        found.map(|(_, owners)| owners.join(" and "))
    };
    match (of(of_workloads()), of(of_data_sets())) {
        (Some(owners), _) => format!("the workload {owners}"),
        (None, Some(owners)) => format!("the data set {owners}"),
        (None, None) => String::new(),
    }
}

fn augmented(command: Command, what: &str, owned: Owned) -> Command {
    owned.into_iter().fold(command, |command, (flag, owners)| {
        let heading = format!("Options of the {what} {}", owners.join(" and "));
        command.arg(argument(flag).help_heading(heading))
    })
}

fn argument(flag: &'static Flag) -> Arg {
    let argument = Arg::new(flag.name).long(flag.name).help(flag.help);
    let argument =
        match flag.values {
            Values::Switch => return argument.action(ArgAction::SetTrue),
            Values::Words(words) => argument.value_parser(PossibleValuesParser::new(
                words.iter().map(|(word, help)| match help.is_empty() {
                    true => PossibleValue::new(*word),
                    false => PossibleValue::new(*word).help(*help),
                }),
            )),
            Values::Whole(from, to) => argument.value_parser(
                clap::value_parser!(u64).range(from..=to).map(|number| number.to_string()),
            ),
            Values::Name => argument.value_parser(name),
            Values::Date => argument.value_parser(date),
        };
    let argument = argument.value_name(flag.placeholder);
    match flag.default {
        Some(default) => argument.default_value(default),
        None => argument,
    }
}

fn name(text: &str) -> Result<String, String> {
    match Values::is_name(text) {
        true => Ok(text.to_owned()),
        false => Err("it is not a name of letters, digits, - and _".to_owned()),
    }
}

fn date(text: &str) -> Result<String, String> {
    match Values::day(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("it is not a date such as 2025-01-31".to_owned()),
    }
}

/// The given values of these options, without defaults.
fn typed(matches: &ArgMatches, owned: &Owned) -> FlagValues {
    let mut given = FlagValues::default();
    for (flag, _) in owned {
        // A workload may be registered after the command was made.
        let is_known = matches.try_contains_id(flag.name).is_ok();
        if !is_known || matches.value_source(flag.name) != Some(ValueSource::CommandLine) {
            continue;
        }
        match flag.values {
            Values::Switch => given.insert(flag.name, "1"),
            _ => {
                if let Some(value) = matches.get_one::<String>(flag.name) {
                    given.insert(flag.name, value);
                }
            }
        }
    }
    given
}

impl Args for WorkloadFlags {
    fn augment_args(command: Command) -> Command {
        augmented(command, "workload", of_workloads())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for WorkloadFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { given: typed(matches, &of_workloads()) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for DataFlags {
    fn augment_args(command: Command) -> Command {
        let command = augmented(command, "data set", of_data_sets());
        of_data_sets().into_iter().fold(command, |command, (flag, _)| {
            command.mut_arg(flag.name, |argument| argument.conflicts_with("validate"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DataFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { given: typed(matches, &of_data_sets()) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The names of all workloads: `rest, soe-client, …`.
pub(crate) fn names() -> String {
    joined(registry::runs().into_iter())
}

fn joined<'a>(runs: impl Iterator<Item = &'a Run>) -> String {
    runs.map(|run| run.name).collect::<Vec<_>>().join(", ")
}

fn taking(wanted: Targets) -> String {
    let takes = |run: &&Run| run.targets == wanted || run.targets == Targets::Both;
    joined(registry::runs().into_iter().filter(takes))
}

/// The help of the workload's name.
pub(in crate::args) fn workload() -> String {
    format!("The workload: {}, or a file of your own such as shop.toml", names())
}

/// The help of the workload's name with targets behind it.
pub(in crate::args) fn words() -> String {
    format!("{}; URLs behind it are targets. The URL of a service alone means rest", workload())
}

/// The help of the target.
pub(in crate::args) fn target() -> String {
    format!(
        "The target: a service, http://…, https://… or unix:SOCKET:/path ({}, files); or a \
         database, postgres://… or sqlite:PATH ({}, files)",
        taking(Targets::Services),
        taking(Targets::Databases)
    )
}

/// The help of the timeout: that of most workloads, and those of the others.
pub(in crate::args) fn timeout() -> String {
    let usual = TIMEOUT;
    let other = registry::runs().into_iter().filter(|run| run.timeout != usual);
    let others: Vec<String> =
        other.map(|run| format!(", of {} {}s", run.name, run.timeout.as_secs())).collect();
    let usual = usual.as_secs();
    format!("A response that takes longer fails [default: {usual}s{}]", others.concat())
}

/// The help of the presets.
pub(in crate::args) fn preset() -> String {
    let all = registry::all().into_iter().flat_map(BuiltIn::presets);
    let names: Vec<&str> = all.map(|preset| preset.name).collect();
    format!("A preset of weights by name, for workloads that have some: {}", names.join(", "))
}

/// An example for each workload that has one.
pub(in crate::args) fn examples() -> String {
    let examples = registry::runs().into_iter().filter(|run| !run.example.is_empty());
    examples.map(|run| format!("  duet bench run {} {}\n", run.name, run.example)).collect()
}

/// The data sets, as a list: `soe, retail, lookup, txn`.
pub(in crate::args) fn data_sets() -> String {
    registry::data_names()
}

/// The help of the argument of `duet bench load`.
pub(in crate::args) fn loaded() -> String {
    format!("The data set: {}", data_sets())
}

/// Whether an option is one of data sets.
pub(in crate::args) fn is_of_data_sets(flag: &str) -> bool {
    of_data_sets().iter().any(|(known, _)| known.name == flag)
}

/// The help of the scale.
pub(in crate::args) fn scale() -> String {
    let each = registry::data_sets().into_iter().map(|set| {
        format!("{}: {} [default: {}]", set.name(), set.scale_help(), set.usual_scale())
    });
    format!("The scale of the data: {}", each.collect::<Vec<_>>().join("; "))
}

/// The help of the argument of `duet bench validate`.
pub(in crate::args) fn validated() -> String {
    format!("A result (a file, or the folder of a run), or a data set: {}", data_sets())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::args::{BenchCommand, BenchRun};
    use crate::args::{Cli, Command};

    fn run(line: &str) -> Result<BenchRun, String> {
        let cli = Cli::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Bench(bench) => match bench.command {
                BenchCommand::Run(run) => Ok(run.options.run),
                other => Err(format!("{other:?}")),
            },
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn options_of_workloads_are_read_and_checked() {
        let given = run("duet bench run retail --mode power --passes 7").unwrap().own.given;
        assert_eq!(given.names().collect::<Vec<_>>(), ["mode", "passes"]);
        assert_eq!(run("duet bench run soe-client").unwrap().own.given.names().count(), 0);
        for (line, words) in [
            ("duet bench run retail --mode all", "possible values: power, throughput, mix, dml"),
            ("duet bench run retail --passes 0", "1..=1000"),
            ("duet bench run soe-client --retries x", "invalid digit"),
        ] {
            let message = run(line).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }
}
