//! The command line of the bench.

pub(super) mod agent;
pub(super) mod charbench;
pub(super) mod import;
pub(super) mod jmeter_line;
pub(super) mod load;
pub(super) mod measure;
pub(super) mod results;
pub(super) mod run;
pub(super) mod series;
pub(super) mod torture;
pub(super) mod trust;
pub(super) mod workloads;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use duet_client::confinement::Destination;
use duet_report::replay::{self, Replay};

use self::agent::BenchAgent;
use self::import::BenchImport;
use self::load::BenchLoad;
use self::measure::BenchMeasure;
use self::results::{BenchCompare, BenchMerge, BenchReport};
use self::series::BenchFindMax;
use self::torture::BenchTorture;
use self::trust::{BenchSelftest, BenchValidate};

/// Load-test databases and HTTP APIs
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

/// The commands of the bench.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Run(Box<BenchMeasure>),
    FindMax(Box<BenchFindMax>),
    Replay(BenchReplay),
    Load(Box<BenchLoad>),
    Import(BenchImport),
    Compare(BenchCompare),
    Report(BenchReport),
    Merge(BenchMerge),
    Validate(BenchValidate),
    Selftest(BenchSelftest),
    Torture(BenchTorture),
    Agent(BenchAgent),
    /// The earlier name of `run` with two targets
    #[command(hide = true)]
    Ab(Box<BenchMeasure>),
    /// The earlier name of `run --server`
    #[command(hide = true)]
    Releases(Box<BenchMeasure>),
    /// The earlier name of `run --paths`
    #[command(hide = true)]
    Paths(Box<BenchMeasure>),
    /// The earlier name of `run` with several users or layouts
    #[command(hide = true)]
    Sweep(Box<BenchMeasure>),
    /// The earlier name of `run` with a plan of JMeter
    #[command(hide = true)]
    Jmeter(Box<BenchMeasure>),
    /// A process of a layout; `run` starts it and communicates with it
    #[command(hide = true)]
    Worker {
        /// Under an agent: a place that it may connect to
        #[arg(long = "allow", value_name = "PLACE", requires = "folder")]
        allowed: Vec<Destination>,
        /// Under an agent: the folder of the run's files
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// One run of the report on the rowstore; `replay` starts it and communicates with it
    #[command(hide = true)]
    LookupOnce,
    /// A process of --spinners, which the bench starts and ends
    #[command(hide = true)]
    Spin {
        /// The number of the processor to keep awake
        #[arg(value_name = "PROCESSOR")]
        processor: usize,
    },
}

/// Repeat a published report, and compare its figures with ours
///
/// Creates a throwaway database, starts servers, runs every variant in the report's order, judges
/// each claim, and cleans up. The page is printed and saved as replay.md and replay.html.
#[derive(Debug, Args)]
pub(crate) struct BenchReplay {
    /// The report
    #[arg(value_name = "REPORT", value_parser = Reports)]
    pub(crate) report: String,
    /// The store [default: ords and swingbench on sqlite, rowstore and transactions on both]
    #[arg(long, value_name = "STORE")]
    pub(crate) on: Option<Store>,
    /// At most a tenth of everything, within a minute: too short to judge claims
    #[arg(long)]
    pub(crate) quick: bool,
    /// The folder of page and results, absent or empty [default: duet-bench/replay-REPORT-TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// The reports that can be repeated. Their data files are read where one is named or help lists them: every start of the
/// program makes all commands.
#[derive(Clone, Copy, Debug)]
struct Reports;

impl Reports {
    /// Each with the description of its data file.
    fn described() -> impl Iterator<Item = PossibleValue> {
        replay::names().map(|name| {
            let about = Replay::named(name).map(|replay| replay.about().to_owned());
            PossibleValue::new(name).help(about.unwrap_or_default())
        })
    }
}

impl TypedValueParser for Reports {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        PossibleValuesParser::new(Self::described()).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Self::described()))
    }
}

/// The stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Store {
    /// Embedded SQLite
    Sqlite,
    /// PostgreSQL: a throwaway server from the distribution's package
    Postgres,
}
