//! The command line of `duet bench run`: one run, or several of them that are compared. What is
//! given decides: two targets, several numbers of users, builds, transports, or a plan of JMeter.

use std::time::Duration;

use clap::{Arg, ArgAction, Args};
use duet_verdict::judge::Rules;

use super::results::percent;
use super::run::{BenchRun, all_run_examples, layout, positive_duration, run_examples};
use super::series::{ALONE, SeriesOptions, refuse_all, typed_name};
use crate::command_error::CommandError;
use crate::report::Outcome;

/// What a command line of `duet bench run` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measurement {
    /// One run.
    Single,
    /// Two targets, alternately.
    Targets,
    /// Several numbers of users, layouts, or sizes of the server.
    Sweep,
    /// Builds that are started one after the other.
    Builds,
    /// Transports to one database.
    Paths,
    /// A plan of JMeter.
    Plan,
}

impl Measurement {
    /// What it is, in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Single => "one run",
            Self::Targets => "a comparison of two targets",
            Self::Sweep => "a sweep",
            Self::Builds => "a comparison of builds",
            Self::Paths => "a comparison of transports",
            Self::Plan => "a plan of JMeter",
        }
    }
}

/// The options of series, and the measurements that have them.
const OPTIONS: [(&str, &[Measurement]); 9] = {
    use Measurement::{Builds, Paths, Sweep, Targets};
    [
        ("rounds", &[Targets, Sweep, Builds, Paths]),
        ("threshold_percent", &[Targets, Builds]),
        ("strict", &[Targets]),
        ("slice", &[Targets]),
        ("layouts", &[Sweep]),
        ("server_workers", &[Sweep]),
        ("server_instances", &[Sweep]),
        ("resources", &[Builds]),
        ("bridge", &[Paths]),
    ]
};

/// The options of a run that a plan of JMeter has.
const OF_PLANS: [&str; 30] = [
    "workload",
    "properties",
    "pass_over",
    "jtl",
    "gatling",
    "json",
    "timeout",
    "quiet",
    "grace",
    "seed",
    "spinners",
    "shared",
    "cacert",
    "insecure",
    "cert",
    "key",
    "agents",
    "identity",
    "proxy",
    "metrics",
    "dry_run",
    "abort_on_fail",
    "thresholds",
    "errors",
    "show",
    "live",
    "otlp",
    "remote_write",
    "name",
    "out",
];

/// Run a workload and save its results; with several targets, users or builds, compare them
///
/// Without a target, the workload makes its own small database and, where it needs one, its own
/// server. In a closed run, each user waits for its response (--users); in an open run, transactions
/// arrive at a rate, whether earlier ones have ended or not (--rate). The manual, docs/bench.md,
/// describes clocks, columns and result files. A link named charbench to this program reads charbench's
/// command lines.
///
/// Two targets are measured alternately and compared. Several numbers of users (--users 1,2,4) or
/// layouts (--layouts) are a sweep. --server starts builds one after the other on the same data and
/// compares them. --paths compares transports to one database. A plan of JMeter (plan.jmx) runs as it
/// is, and gives the same results.
#[derive(Debug, Args)]
#[command(
    after_help = run_examples(),
    after_long_help = all_run_examples(),
    mut_args(shown),
    mut_arg("target", targets),
    mut_arg("users", several_users)
)]
pub(crate) struct BenchMeasure {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// Sweep: layouts, processes times users each, such as 1x16,2x8,4x4
    #[arg(long, value_name = "PxU,…", value_delimiter = ',', value_parser = layout, conflicts_with_all = ["users", "layout"], help_heading = SEVERAL)]
    pub(crate) layouts: Vec<(u32, u32)>,
    /// Sweep: worker threads of Duet's own server, which the workload `rest` starts without a target
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_024), help_heading = SEVERAL)]
    pub(crate) server_workers: Vec<u32>,
    /// Sweep: instances (processes) of Duet's own server, which the workload `rest` starts without a
    /// target
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=64), help_heading = SEVERAL)]
    pub(crate) server_instances: Vec<u32>,
    /// Builds: the command that starts one; given once for each, the first is the base
    ///
    /// In shell syntax. {ready} is the path of the ready file that it writes once it responds, as
    /// `duet serve --ready-file` does, and {data} a fresh copy of --data, or an empty folder.
    #[arg(long = "server", value_name = "CMD", help_heading = SEVERAL)]
    pub(crate) servers: Vec<String>,
    /// Builds: a resource below the server's URL; several are measured in sequence [default: the view
    /// and the table of the sample]
    #[arg(long = "resource", alias = "path", value_name = "PATH", help_heading = SEVERAL)]
    pub(crate) resources: Vec<String>,
    /// Builds: the source of {data}: a file, a folder, or postgres://…, a template
    #[arg(long, value_name = "DATA", requires = "servers", help_heading = SEVERAL)]
    pub(crate) data: Option<String>,
    /// Compare the targets as transports to one database, such as a Unix socket and TCP
    #[arg(long, conflicts_with = "servers", help_heading = SEVERAL)]
    pub(crate) paths: bool,
    /// Transports: measure each TCP transport also from a network namespace behind NAT, as from a
    /// container; needs root
    #[arg(long, help_heading = SEVERAL)]
    pub(crate) bridge: bool,
    /// Rounds: each measures every side once, in alternating order [default: two targets 10, sweep
    /// and transports 3, builds 1]
    #[arg(long, aliases = ["pairs", "repeat"], value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = SEVERAL)]
    pub(crate) rounds: Option<u32>,
    /// The measured time of a trial: the name of --duration in an earlier version.
    #[arg(long, hide = true, value_parser = positive_duration, conflicts_with = "duration")]
    pub(crate) slice: Option<Duration>,
    /// Targets and builds: changes up to this percentage count as no change
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent, help_heading = SEVERAL)]
    pub(crate) threshold_percent: f64,
    /// Targets: fail if a figure has no verdict
    #[arg(long, help_heading = SEVERAL)]
    pub(crate) strict: bool,
}

/// The heading of the options of several runs.
const SEVERAL: &str = "Several targets, users or builds";

fn shown(arg: Arg) -> Arg {
    match ALONE.contains(&arg.get_id().as_str()) {
        true => arg.hide(false),
        false => arg,
    }
}

fn targets(arg: Arg) -> Arg {
    arg.action(ArgAction::Append)
}

fn several_users(arg: Arg) -> Arg {
    arg.value_delimiter(',').action(ArgAction::Append).value_name("N,…").help(
        "Users at the same time; in open runs, the most transactions in flight. Several numbers are a sweep",
    )
}

impl BenchMeasure {
    /// What is measured, by what is given.
    ///
    /// # Errors
    /// `CommandLine` if what is given belongs to two measurements.
    pub(crate) fn measurement(&self) -> Outcome<Measurement> {
        let is_plan = self.options.run.workload.ends_with(".jmx");
        let is_sweep = self.options.users.len() > 1
            || [&self.server_workers, &self.server_instances].iter().any(|all| !all.is_empty())
            || !self.layouts.is_empty();
        let found: Vec<Measurement> = [
            (is_plan, Measurement::Plan),
            (!self.servers.is_empty(), Measurement::Builds),
            (self.paths, Measurement::Paths),
            (self.options.targets.len() > 1 && !self.paths, Measurement::Targets),
            (is_sweep, Measurement::Sweep),
        ]
        .into_iter()
        .filter_map(|(holds, measurement)| holds.then_some(measurement))
        .collect();
        match &*found {
            [] => Ok(Measurement::Single),
            [one] => Ok(*one),
            [one, two, ..] => {
                let message = format!("{} cannot be {} too.", upper(one.name()), two.name());
                Err(CommandError::usage(message).hint("Give the options of one of them."))
            }
        }
    }

    /// Rejects options of other measurements.
    ///
    /// # Errors
    /// `Setting`, with the option's name.
    pub(crate) fn refuse_foreign(&self, measurement: Measurement) -> Outcome {
        let given = |id: &&(&str, &[Measurement])| self.options.is_given(id.0);
        let foreign = OPTIONS.iter().filter(given);
        let foreign = foreign.filter(|(_, owners)| !owners.contains(&measurement));
        let refused: Vec<String> = foreign
            .map(|(id, owners)| {
                let owners: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
                format!("`{}` is for {}", typed_name(id), owners.join(" or "))
            })
            .collect();
        if refused.is_empty() {
            return Ok(());
        }
        let message = format!("{}, and this is {}.", refused.join(", "), measurement.name());
        Err(CommandError::usage(message).hint("`duet bench run --help-all` describes each."))
    }

    /// The options of a plan of JMeter.
    ///
    /// # Errors
    /// `CommandLine` if an option is given that the plan decides itself.
    pub(crate) fn plan(&self) -> Outcome<&BenchRun> {
        let foreign: Vec<&str> = self.options.given_beside(&OF_PLANS).collect();
        let hint = "The plan says what is sent, by how many threads and for how long.";
        refuse_all(&foreign, "no meaning with a plan of JMeter", hint)?;
        Ok(&self.options.run)
    }

    /// The rules of the verdicts.
    pub(crate) fn rules(&self) -> Rules {
        Rules { threshold: self.threshold_percent / 100.0, ..Rules::default() }
    }
}

/// The text with a capital letter at its start.
fn upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::args::{BenchCommand, Cli, Command};

    fn parsed(line: &str) -> BenchMeasure {
        let cli = Cli::try_parse_from(format!("duet bench run {line}").split(' '));
        match cli.unwrap_or_else(|error| panic!("{line}: {error}")).command {
            Command::Bench(bench) => match bench.command {
                BenchCommand::Run(run) => *run,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_given_decides() {
        use Measurement::{Builds, Paths, Plan, Single, Sweep, Targets};
        for (line, expected) in [
            ("rest --users 4", Single),
            ("http://h/a --layout 4x4", Single),
            ("http://h/a http://h/b", Targets),
            ("rest --target http://h/a --target http://h/b --pairs 3 --slice 1s", Targets),
            ("rest --users 1,2,4 --repeat 2", Sweep),
            ("rest --users 1 --users 2", Sweep),
            ("rest --layouts 1x4,4x1", Sweep),
            ("--server a{ready} --server b{ready} --path x", Builds),
            ("lookup --paths postgres:///d postgres://h/d --bridge", Paths),
            ("plan.jmx -J a=b", Plan),
        ] {
            let arguments = parsed(line);
            assert_eq!(arguments.measurement().unwrap(), expected, "{line}");
            arguments.refuse_foreign(expected).unwrap();
        }
        assert_eq!(parsed("http://h/a").options.run.workload, "rest");
    }

    #[test]
    fn two_measurements_at_once_are_refused() {
        let message = |line| parsed(line).measurement().unwrap_err().message().to_owned();
        let said = "A comparison of two targets cannot be a sweep too.";
        assert_eq!(message("http://h/a http://h/b --users 1,2"), said);
        let arguments = parsed("rest --strict");
        let error = arguments.refuse_foreign(Measurement::Single).unwrap_err();
        let said = "`--strict` is for a comparison of two targets, and this is one run.";
        assert_eq!(error.message(), said);
        let error = parsed("plan.jmx --users 3").plan().unwrap_err();
        assert_eq!(error.message(), "`--users` has no meaning with a plan of JMeter.");
    }

    /// What has no effect is refused by name, all of it together.
    #[test]
    fn all_options_without_effect_are_named() {
        let refused = |line: &str| {
            let arguments = parsed(line);
            let measurement = arguments.measurement().unwrap();
            let foreign = arguments.refuse_foreign(measurement);
            foreign
                .and_then(|()| arguments.options.refuse(&["layout"]))
                .unwrap_err()
                .message()
                .to_owned()
        };
        assert_eq!(
            refused("rest --strict --rounds 3"),
            "`--rounds` is for a comparison of two targets or a sweep or a comparison of builds or a comparison of transports, `--strict` is for a comparison of two targets, and this is one run."
        );
        assert_eq!(
            refused("http://h/a http://h/b --json --name x --layout 1x1"),
            "`--name`, `--json`, `--layout` have no meaning here."
        );
        let error =
            parsed("plan.jmx --users 3 --rate 5 -J a=b").plan().unwrap_err().message().to_owned();
        assert!(
            error.contains("`--users`") && error.contains("`--rate`") && !error.contains("-J"),
            "{error}"
        );
    }

    /// Numbers that no run can have are refused with the limit.
    #[test]
    fn numbers_have_limits() {
        let cases: [(&str, &[&str], &str); 14] = [
            ("--rate", &["0", "-1", "NaN", "inf", "1e300", "1e9", ""], "up to 10000000"),
            ("--scale", &["0", "NaN", "1e9"], "up to 10000000"),
            ("--steps", &["1e9:1", "1:0", "1", "NaN:1", "1:1e300"], "RATE:SECONDS"),
            ("--mix", &["GET=1e300", "GET=NaN", "GET=-1", "GET", "GET="], "up to 1000000000"),
            ("--users", &["0", "-1", "100001"], "100000"),
            ("--iterations", &["0", "-1", "1e3", "99999999999999999999", ""], ""),
            ("--duration", &["0s", "-1s", "NaNs", "1e300s", "99999999999999999999s", ""], ""),
            ("--think", &["5ms..1ms", "-1ms", "NaN", "..", ""], ""),
            ("--errors", &["100", "-1", "NaN", "1e300", ""], "less than 100"),
            ("--layout", &["0x1", "1x0", "257x1", "1x100001", "1e9x1", "x", ""], "256x100000"),
            ("--threshold", &["p99<NaNms", "p99<1e308s", "p99<-1ms", "tps>inf", ""], "threshold"),
            ("--rounds", &["0", "10001"], "10000"),
            ("--out", &[""], "a value is required"),
            ("--jtl", &[""], "a value is required"),
        ];
        let mut command = Cli::command();
        for (word, values, limit) in cases {
            for value in values {
                let line = ["duet", "bench", "run", "rest", &format!("{word}={value}")];
                let error = command.try_get_matches_from_mut(line).err();
                let error = error.as_ref().map(ToString::to_string);
                let error = error.unwrap_or_else(|| panic!("{word}={value} is taken"));
                assert!(error.contains(word) && error.contains(limit), "{word}={value}: {error}");
            }
        }
    }
}
