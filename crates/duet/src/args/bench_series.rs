//! The command line of the commands with several runs: `duet bench ab`, `releases`, `paths`,
//! `find-max`, `sweep`. All of them take the options of `duet bench run`; those without a meaning
//! there are hidden and rejected.

use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use duet_model::{Code, Error, Result};
use duet_verdict::judge::Rules;
use duet_verdict::threshold::Rule;

use super::bench::{BenchRun, duration, layout};
use super::bench_results::percent;

/// Options of one run alone.
const ALONE: [&str; 12] = [
    "live",
    "transactions",
    "iterations",
    "steps",
    "cooldown",
    "thresholds",
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
    /// All values of `--target`.
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
    /// `Setting` if one is given.
    pub(crate) fn refuse(&self, ids: &[&str]) -> Result<()> {
        match ALONE.iter().chain(ids).find(|id| self.is_given(id)) {
            None => Ok(()),
            Some(id) => {
                let name = if *id == "thresholds" { "threshold" } else { id };
                let message = format!("`--{name}` has no meaning here.");
                Err(Error::new(Code::Setting, message)
                    .hint("`--help-all` lists the options that have one."))
            }
        }
    }
}

impl Args for SeriesOptions {
    fn augment_args(command: Command) -> Command {
        ALONE
            .iter()
            .fold(BenchRun::augment_args(command), |command, id| command.mut_arg(id, hidden))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SeriesOptions {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> std::result::Result<Self, clap::Error> {
        let told =
            |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let given = matches.ids().filter(told).map(ToString::to_string).collect();
        let targets = matches.get_many("target").map(|all| all.cloned().collect());
        let users = matches.get_many("users").map(|all| all.copied().collect());
        Ok(Self {
            targets: targets.unwrap_or_default(),
            users: users.unwrap_or_default(),
            given,
            run: BenchRun::from_arg_matches_mut(matches)?,
        })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn hidden(arg: Arg) -> Arg {
    arg.hide(true)
}

fn targets(arg: Arg) -> Arg {
    arg.action(ArgAction::Append)
        .required(true)
        .help("The target, as in `duet bench run`; given once for each side, the first is the base")
}

fn rest_usually(arg: Arg) -> Arg {
    arg.required(false).default_value("rest")
}

fn short(arg: Arg) -> Arg {
    arg.default_value("500ms")
}

fn several_users(arg: Arg) -> Arg {
    arg.value_delimiter(',').action(ArgAction::Append).value_name("N,…").help("Numbers of users")
}

fn a_trial(arg: Arg) -> Arg {
    arg.help("The measured time of a trial [default: 10s]")
}

/// Measure two targets alternately, and report which is faster
///
/// Trials alternate, A B, B A, A B …, so that slow changes of the machine affect both. Each pair
/// gives a ratio; Student's t over their logarithms gives the interval, and all figures are judged
/// together (Holm). Each side's first trial warms up and does not count.
#[derive(Debug, Args)]
#[command(
    after_help = AB_ENDS,
    mut_arg("target", targets),
    mut_arg("scale", hidden),
    mut_arg("duration", hidden),
    mut_arg("warmup", short)
)]
pub(crate) struct BenchAb {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// Pairs of trials
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub(crate) pairs: u32,
    /// The measured time of a trial
    #[arg(long, value_name = "DURATION", default_value = "3s", value_parser = duration)]
    pub(crate) slice: Duration,
    /// Changes up to this percentage count as no change
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent)]
    pub(crate) threshold_percent: f64,
    /// Fail if a figure has no verdict
    #[arg(long)]
    pub(crate) strict: bool,
}

impl BenchAb {
    /// The rules of its verdicts.
    pub(crate) fn rules(&self) -> Rules {
        Rules { threshold: self.threshold_percent / 100.0, ..Rules::default() }
    }
}

const AB_ENDS: &str = "\
Example:
  duet bench ab rest --target http://127.0.0.1:8080/ords/hr/team --target http://127.0.0.1:8081/ords/hr/team

Exit codes: 0 nothing is slower; 1 it could not be measured; 2 something is slower, or the command line \
is wrong; 3 more than --errors percent failed, less than 99 % of the arrivals were begun in time or a process was \
lost, and with --strict: nothing is slower, but a figure has no verdict; 4 counts or data do not agree.";

/// Start builds one after the other on the same data, and compare them
///
/// A server is a command in shell syntax. In it, {ready} is the path of the ready file that it
/// writes once it responds, as `duet serve --ready-file` does, and {data} a fresh copy of --data: a
/// file or folder, or a database made from a template of PostgreSQL. Without --data it is an empty
/// folder.
#[derive(Debug, Args)]
#[command(
    after_help = RELEASES_ENDS,
    mut_arg("workload", rest_usually),
    mut_arg("target", hidden),
    mut_arg("duration", a_trial)
)]
pub(crate) struct BenchReleases {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// A build's command; the first is the base
    #[arg(long = "server", value_name = "CMD", required = true)]
    pub(crate) servers: Vec<String>,
    /// A resource below the server's URL; several are measured in sequence [default: the view and
    /// the table of the sample]
    #[arg(long = "path", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// The source of {data}: a file, a folder, or postgres://…
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// The rounds: each runs every build once, in alternating order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) rounds: u32,
    /// Changes up to this percentage count as no change
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent)]
    pub(crate) threshold_percent: f64,
}

const RELEASES_ENDS: &str = "\
Example:
  duet bench releases --server 'old/duet demo --keep {data} --listen 127.0.0.1:0 --ready-file {ready}' \\
    --server 'new/duet demo --keep {data} --listen 127.0.0.1:0 --ready-file {ready}' --rounds 10

Exit codes: as of `duet bench ab`.";

/// Measure one workload over several transports to one database
///
/// Such as a Unix socket and TCP: throughput, times, commits, bytes, and processor time of both sides.
#[derive(Debug, Args)]
#[command(mut_arg("target", targets), mut_arg("scale", hidden), mut_arg("duration", a_trial))]
pub(crate) struct BenchPaths {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// The rounds: each runs every transport once, in alternating order
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) rounds: u32,
    /// Measure each TCP transport also from a network namespace behind NAT, as from a container;
    /// needs root
    #[arg(long)]
    pub(crate) bridge: bool,
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
    mut_arg("duration", a_trial)
)]
pub(crate) struct BenchFindMax {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// A threshold to meet, such as response.p99<20ms; may be given several times
    #[arg(long = "slo", value_name = "LIMIT", required = true)]
    pub(crate) limits: Vec<Rule>,
    /// The limit of the whole search; it reports what is known by then [default: twice the usual
    /// time of such a search, which is announced]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) within: Option<Duration>,
    /// The measured time of each closed run
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) probe: Duration,
    /// The measured time of the confirming run
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub(crate) confirm: Duration,
    /// The largest number of users of closed runs
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) most_users: u32,
}

const FIND_MAX_ENDS: &str = "\
Example:
  duet bench find-max rest --slo 'response.p99<20ms'

Exit codes: 0 a rate was found and confirmed; 1 it could not be measured; 3 no rate passed, or none was \
confirmed; 4 counts or data do not agree.";

/// Measure several numbers of users, layouts, or numbers of the server's workers
#[derive(Debug, Args)]
#[command(mut_arg("users", several_users), mut_arg("layout", hidden), mut_arg("duration", a_trial))]
pub(crate) struct BenchSweep {
    #[command(flatten)]
    pub(crate) options: SeriesOptions,
    /// Processes times users each, such as 1x16,2x8,4x4
    #[arg(long, value_name = "PxU,…", value_delimiter = ',', value_parser = layout, conflicts_with = "users")]
    pub(crate) layouts: Vec<(u32, u32)>,
    /// Worker threads of Duet's own server, which the workload `rest` starts without --target
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "target", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub(crate) server_workers: Vec<u32>,
    /// Instances (processes) of Duet's own server, which the workload `rest` starts without --target
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "target", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) server_instances: Vec<u32>,
    /// The rounds: each runs every point once, in alternating order
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) repeat: u32,
}
