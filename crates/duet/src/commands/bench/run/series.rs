//! Shared by commands of several runs: a folder with a result for each run, a line for each, and an
//! orderly end by Ctrl-C after the current run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use duet_bench::agents::Fleet;
use duet_bench::run::{Plan, Prepared, RESULT};
use duet_bench::telemetry::Receiver;
use duet_bench::{facts, result_files, whole_file};
use duet_model::Error;
use duet_report::html::html;
use duet_verdict::judge::{MOST_FAILED, Rules};
use duet_verdict::result::RunResult;
use duet_verdict::series::TrialFigures;
use duet_verdict::soundness::problems;
use duet_verdict::text::{cut, duration};
use serde::Serialize;

use super::live_page::LivePage;
use super::terminal_run::{
    LiveOutput, RunOutput, Verbosity, begin_live, conduct_whole, receivers, stop_on_ctrl_c,
};
use crate::args::SeriesOptions;
use crate::command_error::CommandError;
use crate::commands::bench::agent::fleet;
use crate::commands::bench::ending::MeasurementEnding;
use crate::commands::bench::next::report;
use crate::commands::bench::results::run_files::{check_empty, unwritable};
use crate::commands::bench::started::signals;
use crate::report::{Outcome, print};

/// Runs of one series.
pub(in crate::commands::bench) struct Series {
    folder: PathBuf,
    runs: u32,
    /// A folder for each run.
    folders: Vec<PathBuf>,
    /// Runs whose counts or data failed a check.
    disagreed: Vec<String>,
    /// The allowed share of failed transactions; `None` if runs are expected to fail.
    most_failed: Option<f64>,
    /// Doubts about single runs, with their names.
    problems: Vec<String>,
    /// The page that shows the current run to browsers.
    live: Option<LivePage>,
    /// Who gets the seconds of all runs.
    receivers: Vec<Receiver>,
    /// Where Swingbench's results.xml of each run is written too, numbered.
    xml: Option<PathBuf>,
    /// The agents that run the processes of all runs; `None`: this machine does.
    fleet: Option<Fleet>,
}

impl Series {
    /// Creates the series in the requested folder, or in one named after the command and the time.
    ///
    /// # Errors
    /// As [`Self::within`], or if the page of a live series cannot be served.
    pub(in crate::commands::bench) fn begin(
        command: &str,
        options: &SeriesOptions,
    ) -> Outcome<Self> {
        let run = &options.run;
        let series = Self::within(run.out.as_deref(), command)?;
        let begun = RunResult { workload: run.workload.clone(), ..RunResult::default() };
        let live = run.live.then(|| begin_live(Verbosity::Summary, &begun)).transpose()?;
        Ok(Self {
            most_failed: Some(run.errors / 100.0),
            live,
            receivers: receivers(run)?,
            xml: run.xml.clone(),
            fleet: fleet(run)?,
            ..series
        })
    }

    /// The same for a series that searches for overload: overload and failures are its findings.
    ///
    /// # Errors
    /// As [`Self::within`].
    pub(in crate::commands::bench) fn of_trials(
        command: &str,
        options: &SeriesOptions,
    ) -> Outcome<Self> {
        Ok(Self { most_failed: None, ..Self::begin(command, options)? })
    }

    /// The same without further settings.
    ///
    /// # Errors
    /// If the folder is not empty: nothing is overwritten.
    pub(in crate::commands::bench) fn within(
        options: Option<&Path>,
        command: &str,
    ) -> Outcome<Self> {
        let folder = folder(options, command);
        check_empty(&folder)?;
        Ok(Self {
            folder,
            runs: 0,
            folders: Vec::new(),
            disagreed: Vec::new(),
            most_failed: Some(MOST_FAILED),
            problems: Vec::new(),
            live: None,
            receivers: Vec::new(),
            xml: None,
            fleet: None,
        })
    }

    /// Whether Ctrl-C has ended it.
    pub(in crate::commands::bench) fn is_over(&self) -> bool {
        signals::is_over()
    }

    /// The stop flag of runs. From the first run on there is a result to keep: before, while data
    /// are loaded, Ctrl-C ends the program.
    pub(in crate::commands::bench) fn stop(&self) -> Arc<AtomicBool> {
        stop_on_ctrl_c()
    }

    /// One run: its result is in its own folder, numbered and named.
    pub(in crate::commands::bench) fn run(
        &mut self,
        name: &str,
        plan: &Plan,
        prepared: &mut Prepared,
    ) -> Outcome<RunResult> {
        let folder = self.next_folder(name);
        let result = conduct_whole(&self.output(name, folder), plan, prepared, &self.stop())?;
        self.took(name, &result)?;
        Ok(result)
    }

    /// How a run of this name is saved and followed; it prints nothing.
    pub(in crate::commands::bench) fn output<'a>(
        &'a self,
        name: &'a str,
        folder: PathBuf,
    ) -> RunOutput<'a> {
        RunOutput {
            abort_after: None,
            name,
            show: &[],
            verbosity: Verbosity::Nothing,
            folder,
            thresholds: &[],
            shared: false,
            most_failed: self.most_failed.unwrap_or(MOST_FAILED),
            live: self.live.as_ref().map_or(LiveOutput::Off, LiveOutput::Series),
            xml: self.xml.as_deref(),
            receivers: &self.receivers,
            fleet: self.fleet.as_ref(),
        }
    }

    /// Sends the report of the last run to browsers, and says where the outcome of the series is.
    pub(in crate::commands::bench) fn end_live(&self, outcome: &Path) {
        let Some(live) = &self.live else { return };
        let last = self.folders.last().map(|folder| folder.join(RESULT));
        let last = last.and_then(|path| result_files::read(&path).ok());
        let page = last.and_then(|result| html(&[result], &Rules::default()).ok());
        let message = format!(
            "The series has ended; this is its last run. Its outcome is saved as {}.",
            outcome.display()
        );
        live.finish(&page.unwrap_or_default(), message);
    }

    /// The folder of the next run.
    pub(in crate::commands::bench) fn next_folder(&mut self, name: &str) -> PathBuf {
        self.runs += 1;
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let folder = self.folder.join(format!("{:03}-{plain}", self.runs));
        self.folders.push(folder.clone());
        folder
    }

    /// The folders of its runs, in their order.
    pub(in crate::commands::bench) fn folders(&self) -> Vec<&Path> {
        self.folders.iter().map(PathBuf::as_path).collect()
    }

    /// Suggests a page of its runs: of each by name, or of the folder where they are many.
    pub(in crate::commands::bench) fn report(&self) -> String {
        match self.folders() {
            folders if folders.len() <= 2 => report(&folders),
            _ => report(&[&self.folder]),
        }
    }

    /// The folder of the last run of a side, whose names begin with this word.
    pub(in crate::commands::bench) fn last_of(&self, side: &str) -> Option<&Path> {
        let is_one = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.get(4..).is_some_and(|name| name.starts_with(&format!("{side}-")))
        };
        self.folders.iter().rev().find(is_one).map(PathBuf::as_path)
    }

    /// A line about a run, and its doubts.
    pub(in crate::commands::bench) fn took(&mut self, name: &str, result: &RunResult) -> Outcome {
        let unbalanced = result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced);
        if unbalanced || result.invariants.iter().any(|row| !row.passed) {
            self.disagreed.push(format!("{:03} {name}", self.runs));
        }
        // A trial at a low rate may end before the first arrival.
        let may_be_empty = self.most_failed.is_none() && result.failures.is_empty();
        if result.totals.completed == 0 && !self.is_over() && !may_be_empty {
            let message =
                result.failures.first().map_or("no transaction ended", |row| &row.message);
            return Err(CommandError::server(format!("Nothing succeeded ({name}): {message}.")));
        }
        if let Some(most_failed) = self.most_failed {
            let found = problems(result, most_failed);
            self.problems
                .extend(found.iter().map(|problem| format!("{:03} {name}: {problem}", self.runs)));
        }
        let figures = TrialFigures::of(result);
        let times = [figures.mean_ms, figures.p95_ms].map(|ms| duration(ms * 1e3));
        print(&format!(
            "{:>3}  {:<20} {:>9.1}/s  avg {:>7}  p95 {:>7}  failed {}\n",
            self.runs,
            cut(name, 20),
            figures.per_s,
            times[0],
            times[1],
            result.totals.failed
        ))
    }

    /// Writes a file of the series.
    pub(in crate::commands::bench) fn write(&self, name: &str, text: &str) -> Outcome<PathBuf> {
        let path = self.folder.join(name);
        let written =
            std::fs::create_dir_all(&self.folder).and_then(|()| whole_file::write(&path, text));
        written.map_err(|error| unwritable(&path, &error))?;
        Ok(path)
    }

    /// Writes the outcome as JSON.
    pub(in crate::commands::bench) fn write_json(
        &self,
        name: &str,
        value: &impl Serialize,
    ) -> Outcome<PathBuf> {
        let text = serde_json::to_string_pretty(value).map_err(Error::internal)?;
        self.write(name, &format!("{text}\n"))
    }

    /// `Ok` if counts and data passed, no run is in doubt and no signal ended it; otherwise the
    /// exit code for that.
    pub(in crate::commands::bench) fn agreed(&self) -> Outcome {
        if let Some(ended) = signals::ended("error: stopped before all trials were done") {
            return Err(ended);
        }
        match (&*self.disagreed, &*self.problems) {
            ([], []) => Ok(()),
            ([], problems) => {
                let text: String =
                    problems.iter().map(|problem| format!("error: {problem}\n")).collect();
                Err(MeasurementEnding::Unmet.saying(text))
            }
            (runs, _) => {
                let text = format!("error: counts or data do not agree in {}\n", runs.join(", "));
                Err(MeasurementEnding::Disagreement.saying(text))
            }
        }
    }
}

/// The requested folder, or one named after the command and the time, with a number if another one
/// was created in the same second.
pub(in crate::commands::bench) fn folder(options: Option<&Path>, name: &str) -> PathBuf {
    options.map_or_else(
        || {
            let time = facts::now().replace([':', '-'], "").replace('T', "-").replace('Z', "");
            unused(&Path::new("duet-bench").join(format!("{name}-{time}")))
        },
        Path::to_path_buf,
    )
}

/// This path, or the first of `PATH-2`, `PATH-3` … that does not exist.
fn unused(path: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    let mut candidates = std::iter::once(path.to_owned()).chain((2..).map(numbered));
    candidates.find(|candidate| !candidate.exists()).unwrap_or_else(|| path.to_owned())
}

/// A plan with this measured time, and another seed each round: both sides of a round draw the same
/// numbers.
pub(in crate::commands::bench) fn trial_plan(plan: &Plan, measure: Duration, round: u32) -> Plan {
    let mut plan = plan.clone();
    plan.phases.measure = Some(measure);
    plan.seed = plan.seed.wrapping_add(u64::from(round));
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_folders_differ_within_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run-1");
        for expected in ["run-1", "run-1-2", "run-1-3"] {
            let next = unused(&path);
            assert_eq!(next, folder.path().join(expected));
            std::fs::create_dir(next).unwrap();
        }
    }
}
