//! The command line of the commands on results: `duet bench report`, `compare` and `merge`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use duet_report::export::ExportFormat;
use duet_verdict::judge::Rules;

/// Make one HTML page of results, or export one to another program's format
///
/// The page is one file that asks for nothing from a network. Several results are side by side, each
/// compared with the first.
#[derive(Debug, Args)]
pub(crate) struct BenchReport {
    /// The results: files, or folders of runs
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// The file to write; by default standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Export one result in another format instead
    #[arg(long = "as", value_name = "FORM", value_parser = forms())]
    pub(crate) form: Option<ExportFormat>,
    #[command(flatten)]
    pub(crate) verdicts: Verdicts,
}

/// Compare results with the first of them, with intervals and verdicts
///
/// Exit code 0: nothing is slower; 2: something is; 3: a run lost a process, was overloaded, or
/// more than --errors percent of it failed, and with --strict: nothing is slower, and a figure has
/// no verdict or was measured too briefly; 1: the runs answered different questions, or an error.
#[derive(Debug, Args)]
pub(crate) struct BenchCompare {
    /// The results, files or folders of runs; the first is the base
    #[arg(value_name = "RESULT", required = true, num_args = 2..)]
    pub(crate) results: Vec<PathBuf>,
    /// Judge even if load, data or machine differ, or a run is not trustworthy
    #[arg(long)]
    pub(crate) anyway: bool,
    /// The largest percentage of failed transactions of a run
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = percent)]
    pub(crate) errors: f64,
    /// Fail if a figure has no verdict
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write compare.xml (JUnit) and compare.md (Markdown) to this folder, for pipelines
    #[arg(long, value_name = "DIR")]
    pub(crate) ci: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verdicts: Verdicts,
}

/// Merge the results of several machines that loaded one server at the same time
///
/// Histograms are added, and seconds aligned by wall clock; percentiles are never averaged. The
/// histograms of seconds are read from the log beside each result, and written beside the new one.
#[derive(Debug, Args)]
pub(crate) struct BenchMerge {
    /// The results: files, folders of runs, or folders that hold such folders
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// The result to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

/// The rules of verdicts.
#[derive(Debug, Args)]
pub(crate) struct Verdicts {
    /// Changes up to this percentage count as no change
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent)]
    pub(crate) threshold: f64,
    /// Between single runs, differences up to this percentage may be drift of the machine
    #[arg(long, value_name = "PERCENT", default_value = "15", value_parser = percent)]
    pub(crate) drift: f64,
}

impl Verdicts {
    /// The rules as values.
    pub(crate) fn rules(&self) -> Rules {
        let share = |percent: f64| percent / 100.0;
        Rules { threshold: share(self.threshold), drift: share(self.drift), ..Rules::default() }
    }
}

pub(in crate::args) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>();
    let number = number.ok().filter(|number| (0.0..100.0).contains(number));
    number.ok_or_else(|| "a number of percent is expected, from 0 to less than 100".into())
}

/// The export formats by name, each with its help.
fn forms() -> impl TypedValueParser<Value = ExportFormat> {
    let value = |form: ExportFormat| PossibleValue::new(form.name()).help(form.about());
    PossibleValuesParser::new(ExportFormat::ALL.map(value)).try_map(|name| {
        let found = ExportFormat::ALL.into_iter().find(|form| form.name() == name);
        found.ok_or("there is no such format")
    })
}
