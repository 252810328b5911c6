//! A run on the terminal: its lines, its files, its end. The target is prepared elsewhere.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_bench::agents::Fleet;
use duet_bench::console::{Console, ConsoleColumn};
use duet_bench::facts;
use duet_bench::live::{Live, terminal_width};
use duet_bench::observe::{Counted, Observer, Watched};
use duet_bench::run::{
    Assembly, ChildProcesses, Merged, Plan, Prepared, Rates, Ready, Stop, Workers, before, prepare,
};
use duet_bench::targets::have_room;
use duet_bench::telemetry::{Form, Receiver, Telemetry, headers_of};
use duet_bench::workload::{Failed, TransactionType, Workload, cannot};
use duet_model::Error;
use duet_report::html::html;
use duet_report::summary::summary;
use duet_verdict::judge::{MOST_FAILED, Rules};
use duet_verdict::result::{AgentResult, RunResult, Second};
use duet_verdict::soundness::problems_beside;
use duet_verdict::text::{COLUMNS as COLUMNS_OF_TERMINALS, wrap};
use duet_verdict::threshold::Rule;

use super::abort::Abort;
use super::live_page::LivePage;
use crate::args::BenchRun;
use crate::command_error::CommandError;
use crate::commands::bench::next::{compare, next, report};
use crate::commands::bench::results::run_files::{RunFiles, unwritable};
use crate::commands::bench::results::{results_xml, sample_files};
use crate::commands::bench::started::signals;
use crate::report::{Outcome, note, print};

/// The name of the report of a live run.
const REPORT: &str = "report.html";
/// The warning of a run beside others.
const SHARED: &str = "Others loaded the same server meanwhile (--shared): there is no ledger, and rows were not counted.";

/// How a run is printed and saved.
pub(in crate::commands::bench) struct RunOutput<'a> {
    pub(in crate::commands::bench) name: &'a str,
    pub(in crate::commands::bench) show: &'a [ConsoleColumn],
    pub(in crate::commands::bench) verbosity: Verbosity,
    /// The result's folder.
    pub(in crate::commands::bench) folder: PathBuf,
    /// Whether others use the same server meanwhile.
    pub(in crate::commands::bench) shared: bool,
    pub(in crate::commands::bench) thresholds: &'a [Rule],
    /// The measured time after which a threshold that fails ends the run; `None`: none does.
    pub(in crate::commands::bench) abort_after: Option<Duration>,
    /// The share of the transactions that may fail.
    pub(in crate::commands::bench) most_failed: f64,
    /// Whether browsers can follow the run.
    pub(in crate::commands::bench) live: LiveOutput<'a>,
    /// Where Swingbench's results.xml is written too.
    pub(in crate::commands::bench) xml: Option<&'a Path>,
    /// Who gets the seconds.
    pub(in crate::commands::bench) receivers: &'a [Receiver],
    /// The agents that run the processes; `None`: this machine does.
    pub(in crate::commands::bench) fleet: Option<&'a Fleet>,
}

/// The page that follows a run.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands::bench) enum LiveOutput<'a> {
    /// None.
    Off,
    /// One of the run's own, which is saved with the result.
    Own,
    /// The page of a series, which shows the run as its current one.
    Series(&'a LivePage),
}

/// The amount of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands::bench) enum Verbosity {
    /// Lines and summary.
    All,
    /// The summary.
    Summary,
    /// The result, as JSON.
    Json,
    /// Nothing.
    Nothing,
}

/// Runs a workload, saves its result, and prints it. The seconds are in the result's file alone: a
/// run may be long.
///
/// # Errors
/// If the users cannot connect or the result cannot be written.
pub(in crate::commands::bench) fn conduct(
    output: &RunOutput<'_>,
    plan: &Plan,
    prepared: &mut Prepared,
    stop: &Arc<AtomicBool>,
) -> Outcome<RunResult> {
    follow(output, plan, prepared, stop, drop)
}

/// The same for a short run, whose seconds are returned too.
///
/// # Errors
/// As [`conduct`].
pub(in crate::commands::bench) fn conduct_whole(
    output: &RunOutput<'_>,
    plan: &Plan,
    prepared: &mut Prepared,
    stop: &Arc<AtomicBool>,
) -> Outcome<RunResult> {
    let mut seconds = Vec::new();
    let mut result = follow(output, plan, prepared, stop, |second| seconds.push(second))?;
    result.seconds = seconds;
    Ok(result)
}

/// Checks before the run that each threshold is about a type of the workload.
///
/// # Errors
/// If one is not, or there is no workload.
pub(in crate::commands::bench) fn check_limits(limits: &[Rule], prepared: &Prepared) -> Outcome {
    let workload = prepared.job.workload();
    let workload = workload.map_err(|failed| cannot("The workload cannot run", &failed))?;
    all_fit(limits, workload.kinds())
}

fn all_fit(limits: &[Rule], kinds: &[TransactionType]) -> Outcome {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.short.as_str()).collect();
    let wrong: Vec<String> = limits.iter().filter_map(|rule| rule.fits(&kinds).err()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(CommandError::usage(wrong.join(" "))) }
}

fn follow(
    output: &RunOutput<'_>,
    plan: &Plan,
    prepared: &mut Prepared,
    stop: &Arc<AtomicBool>,
    mut keep: impl FnMut(Second),
) -> Outcome<RunResult> {
    let workload = begun(output, prepared)?;
    let kinds = workload.kinds().to_vec();
    let host = facts::host();
    let folder = &output.folder;
    let watched = watched(prepared, plan, output.shared);
    check_room(&watched)?;
    let mut observer = Observer::open(watched);
    let ready = connect(output, plan, prepared, stop)?;
    let started = ready.begins();
    let mut begun = before(plan, &kinds);
    begun.started.clone_from(&started);
    begun.host.clone_from(&host);
    describe(&mut begun, output, prepared);
    begun.thresholds = output.thresholds.iter().map(|rule| rule.judge(&begun)).collect();
    let mut kept = RunFiles::begin(folder, &tags(&kinds), &begun)?;
    let mut watchers = Watchers::begin(output, plan, &begun, &kinds)?;
    let mut abort = Abort::new(output.abort_after, &begun);
    let logon = ready.logon;
    let mut assembly = Assembly::new(plan, &kinds);
    let mut lines = ProgressOutput::begin(output, prepared, plan, &kinds)?;
    let processes = ready.process_ids();
    let mut running = ready.go();
    observer.go(running.origin, processes);
    while let Some(merged) = running.next_second() {
        let mut row = merged.row(plan);
        row.observed = observer.second(row.at_s);
        if let Some(proof) = &mut prepared.proof {
            proof.second(&merged);
        }
        let rates = assembly.second(&merged);
        lines.second(&row, rates)?;
        kept.second(&merged, &row);
        watchers.second(&merged, &row);
        if abort.as_mut().is_some_and(|abort| abort.second(&merged, &row)) {
            stop.store(true, Ordering::Relaxed);
        }
        keep(row);
    }
    lines.end()?;
    let missed = abort.and_then(Abort::into_missed).map(Stop::Threshold);
    let stopped = missed.or_else(|| stop.load(Ordering::Relaxed).then_some(Stop::Interrupted));
    let mut observed = observer.finish();
    if output.shared {
        observed.counted = Counted::default();
    }
    let mut collector = running.into_collector();
    let mut result = assembly.result(&mut collector, logon, stopped.as_ref());
    workload.conclude(&mut result);
    result.started = started;
    result.host = host;
    result.agents = output.fleet.map(Fleet::results).unwrap_or_default();
    result.warnings.extend(result.agents.iter().filter_map(AgentResult::doubt));
    describe(&mut result, output, prepared);
    observed.complete(&mut result, collector.totals());
    judge(&mut result, output, prepared)?;
    watchers.telemetry.iter().for_each(Telemetry::end);
    result.warnings.extend(watchers.telemetry.drain(..).filter_map(Telemetry::finish));
    if plan.samples.are_wanted() {
        sample_files::complete(&plan.samples, plan.processes, collector.samples(), &mut result);
    }
    end(output, plan, kept, &watchers, &result)?;
    Ok(result)
}

/// Connects the users, in processes of this machine or of agents.
fn connect(
    output: &RunOutput<'_>,
    plan: &Plan,
    prepared: &Prepared,
    stop: &Arc<AtomicBool>,
) -> Outcome<Ready> {
    let program = std::env::current_exe().map_err(Error::internal)?;
    let children = ChildProcesses(|| {
        let mut command = Command::new(&program);
        command.args(["bench", "worker"]);
        command
    });
    let workers: &dyn Workers = match output.fleet {
        None => &children,
        Some(fleet) => {
            fleet.begin_run();
            fleet
        }
    };
    let ready = prepare(plan, &prepared.job, workers, stop);
    Ok(ready.map_err(|failed| cannot("The users cannot connect", &failed))?)
}

/// Saves and prints a result, and ends the page that followed its run.
fn end(
    output: &RunOutput<'_>,
    plan: &Plan,
    kept: RunFiles<'_>,
    watchers: &Watchers<'_>,
    result: &RunResult,
) -> Outcome {
    let path = kept.finish(result);
    let (xml, places) = write_xml(output, path.is_ok(), sample_files::places(&plan.samples));
    print_outcome(output, result, &places, path.as_deref().ok())?;
    let path = path?;
    xml?;
    match &watchers.live {
        LiveWatcher::Own(live) => end_live(live, output, &path),
        LiveWatcher::Off | LiveWatcher::Series(_) => Ok(()),
    }
}

/// Writes Swingbench's file if it is wanted and the result is saved; adds its place to the others.
fn write_xml(output: &RunOutput<'_>, is_saved: bool, places: String) -> (Outcome, String) {
    match output.xml.filter(|_| is_saved) {
        None => (Ok(()), places),
        Some(wanted) => match results_xml::write(wanted, &output.folder) {
            Ok(xml) => (Ok(()), format!("{places}Saved results to {}\n", xml.display())),
            Err(failed) => (Err(failed), places),
        },
    }
}

/// Those that follow a run from outside: browsers, and receivers of its seconds.
struct Watchers<'a> {
    live: LiveWatcher<'a>,
    telemetry: Vec<Telemetry>,
}

enum LiveWatcher<'a> {
    Off,
    Own(LivePage),
    Series(&'a LivePage),
}

impl LiveWatcher<'_> {
    fn page(&self) -> Option<&LivePage> {
        match self {
            Self::Off => None,
            Self::Own(page) => Some(page),
            Self::Series(page) => Some(page),
        }
    }
}

impl<'a> Watchers<'a> {
    fn begin(
        output: &RunOutput<'a>,
        plan: &Plan,
        begun: &RunResult,
        kinds: &[TransactionType],
    ) -> Outcome<Self> {
        let live = match output.live {
            LiveOutput::Off => LiveWatcher::Off,
            LiveOutput::Own => LiveWatcher::Own(begin_live(output.verbosity, begun)?),
            LiveOutput::Series(page) => {
                page.begin(begun);
                LiveWatcher::Series(page)
            }
        };
        let agent_of = |process| output.fleet.and_then(|fleet| fleet.agent_of(process));
        let agents: Vec<String> = (0..plan.processes).filter_map(agent_of).collect();
        let start = |receiver| {
            let started = Telemetry::start(receiver, begun, kinds, &agents);
            started.map_err(|failed| cannot("The seconds cannot be sent", &failed))
        };
        let telemetry = output.receivers.iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { live, telemetry })
    }

    fn second(&mut self, merged: &Merged, row: &Second) {
        if let Some(live) = self.live.page() {
            live.second(merged, row);
        }
        for telemetry in &mut self.telemetry {
            telemetry.second(merged, row);
        }
    }
}

/// Starts the page of the run, and says where it is.
pub(in crate::commands::bench) fn begin_live(
    verbosity: Verbosity,
    begun: &RunResult,
) -> Outcome<LivePage> {
    let live = LivePage::start(begun).map_err(|error| {
        let message = format!("The page of the run cannot be served: {error}.");
        CommandError::machine(message)
    })?;
    let text = format!("Live: {}", live.url());
    match verbosity {
        Verbosity::Json => note(&text),
        _ => say(&format!("{text}\n"))?,
    }
    Ok(live)
}

/// The receivers of a run's seconds.
///
/// # Errors
/// If a variable with header fields is no list of these.
pub(in crate::commands::bench) fn receivers(arguments: &BenchRun) -> Outcome<Vec<Receiver>> {
    let given =
        [(Form::Otlp, &arguments.otlp), (Form::RemoteWrite, &arguments.remote_write)].into_iter();
    let given = given.filter_map(|(form, url)| url.clone().map(|url| (form, url)));
    let receivers = given.map(|(form, url)| {
        let headers = headers_of(form, &std::env::var(form.variable()).unwrap_or_default())
            .map_err(|failed| cannot("The seconds cannot be sent", &failed))?;
        Ok(Receiver { form, url, headers })
    });
    receivers.collect()
}

/// Saves the page of the result, and sends it to browsers as the last one.
fn end_live(live: &LivePage, output: &RunOutput<'_>, result: &Path) -> Outcome {
    let page = html(&[duet_bench::result_files::read(result)?], &Rules::default())?;
    let path = output.folder.join(REPORT);
    duet_bench::whole_file::write(&path, &page).map_err(|error| unwritable(&path, &error))?;
    let message = format!("The run has ended. This page is saved as {}.", path.display());
    live.finish(&page, message);
    match output.verbosity {
        Verbosity::Json => Ok(()),
        _ => say(&format!("Saved report to {}\n", path.display())),
    }
}

/// Checks that the database has room for all connections.
fn check_room(watched: &Watched) -> Outcome {
    let Some(database) = watched.database.as_ref().filter(|it| it.workload.is_some()) else {
        return Ok(());
    };
    let room = have_room(&database.target, database.users);
    let room = crate::runtime::runtime()?.block_on(room);
    Ok(room.map_err(|failed| cannot("The users cannot connect", &failed))?)
}

/// The workload, renewed for the current data and checked against the plan.
fn begun(output: &RunOutput<'_>, prepared: &mut Prepared) -> Outcome<Arc<dyn Workload>> {
    let unfit = |failed: Failed| cannot("The workload cannot run", &failed);
    crate::runtime::runtime()?.block_on(prepared.job.renew()).map_err(unfit)?;
    let workload = prepared.job.workload().map_err(unfit)?;
    all_fit(output.thresholds, workload.kinds())?;
    if let Some(proof) = &mut prepared.proof {
        proof.before().map_err(|failed| cannot("The data cannot be read", &failed))?;
    }
    Ok(workload)
}

/// Adds the prepared description to a result.
fn describe(result: &mut RunResult, output: &RunOutput<'_>, prepared: &Prepared) {
    result.workload = prepared.workload.clone();
    result.name = output.name.to_owned();
    result.target = prepared.target.clone();
    result.load.options.extend(prepared.options.clone());
}

/// Adds the checks after the run to a result.
fn judge(result: &mut RunResult, output: &RunOutput<'_>, prepared: &mut Prepared) -> Outcome {
    if output.shared {
        result.warnings.push(SHARED.into());
    }
    if let Some(proof) = &mut prepared.proof {
        let proved = proof.after(output.shared);
        let proved = proved.map_err(|failed| cannot("The data cannot be read again", &failed))?;
        result.invariants.extend(proved);
        let figures = proof.figures(result);
        result.figures.extend(figures);
    }
    let is_own = output.most_failed != MOST_FAILED;
    result.errors_percent = is_own.then_some(output.most_failed * 100.0);
    result.thresholds = output.thresholds.iter().map(|rule| rule.judge(result)).collect();
    Ok(())
}

/// The observed target; the number of users is the plan's. Where others use the database too, nothing is compared with
/// its commits.
fn watched(prepared: &Prepared, plan: &Plan, shared: bool) -> Watched {
    let mut watched = prepared.watched.clone();
    if let Some(database) = &mut watched.database {
        database.users = plan.users;
        database.workload = database.workload.take().filter(|_| !shared);
    }
    watched
}

fn tags(kinds: &[TransactionType]) -> Vec<String> {
    kinds.iter().map(|kind| kind.short.clone()).collect()
}

/// Prints a result that was saved to this file; if it was not saved, the result in memory, without
/// the seconds.
fn print_outcome(
    output: &RunOutput<'_>,
    result: &RunResult,
    samples: &str,
    path: Option<&Path>,
) -> Outcome {
    match (output.verbosity, path) {
        (Verbosity::Nothing, _) => Ok(()),
        (Verbosity::Json, Some(path)) => say(&std::fs::read_to_string(path)?),
        (Verbosity::Json, None) => say(&result.to_json()),
        (Verbosity::All | Verbosity::Summary, None) => say(&format!("{}\n", summary(result))),
        (Verbosity::All | Verbosity::Summary, Some(path)) => {
            let saved = path.display();
            let end = last_lines(output, result);
            say(&format!("{}\nSaved results to {saved}\n{samples}{end}", summary(result)))
        }
    }
}

/// The last lines: doubts about the run, the next commands, and charbench's last words.
fn last_lines(output: &RunOutput<'_>, result: &RunResult) -> String {
    let problems = problems_beside(result, output.most_failed, output.thresholds);
    let mut text = String::new();
    for problem in problems {
        text.push_str(&wrap(&format!("✗ {problem}\n"), COLUMNS_OF_TERMINALS, "  "));
    }
    let folder = output.folder.as_path();
    text.push_str(&next(&[report(&[folder]), compare(&[Path::new("BEFORE"), folder])]));
    text.push_str("Completed Run.\n");
    text
}

/// Prints a line; a run that is stopped keeps its result, even if its terminal is gone.
fn say(text: &str) -> Outcome {
    match print(text) {
        Err(_) if signals::is_over() => Ok(()),
        verbosity => verbosity,
    }
}

/// The default columns of lines.
const COLUMNS: [ConsoleColumn; 5] = [
    ConsoleColumn::Users,
    ConsoleColumn::Tpm,
    ConsoleColumn::Tps,
    ConsoleColumn::Errors,
    ConsoleColumn::Response,
];

/// The output during a run.
enum ProgressOutput {
    /// None.
    Quiet,
    /// A line a second.
    Plain(Console),
    /// A live view.
    Drawn(Box<Live>),
}

impl ProgressOutput {
    fn begin(
        output: &RunOutput<'_>,
        prepared: &Prepared,
        plan: &Plan,
        kinds: &[TransactionType],
    ) -> Outcome<Self> {
        if output.verbosity != Verbosity::All {
            return Ok(Self::Quiet);
        }
        if let Some(wanted) = output.xml {
            let name = results_xml::next(wanted);
            print(&format!("Results will be written to {}.\n", name.display()))?;
        }
        let version = env!("CARGO_PKG_VERSION");
        let title = format!("duet {version}: {} on {}", prepared.workload, prepared.target.address);
        let is_terminal = std::io::stdout().is_terminal()
            && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        if output.show.is_empty() && is_terminal {
            print("Ctrl-C ends the run and keeps what was measured.\n")?;
            return Ok(Self::Drawn(Box::new(Live::new(&title, plan, kinds))));
        }
        let columns = if output.show.is_empty() { &COLUMNS } else { output.show };
        let console = Console::new(columns, kinds, plan);
        print(&format!("{}\n{}\n", wrap(&title, COLUMNS_OF_TERMINALS, "  "), console.heading()))?;
        Ok(Self::Plain(console))
    }

    fn second(&mut self, row: &Second, rates: &Rates) -> Outcome {
        match self {
            Self::Quiet => Ok(()),
            Self::Plain(console) => {
                let line = console.line(&facts::time_of_day(), row, rates);
                say(&format!("{}\n", line.trim_end()))
            }
            Self::Drawn(live) => say(&live.frame(row, rates, terminal_width())),
        }
    }

    /// Makes room for the summary.
    fn end(&mut self) -> Outcome {
        match self {
            Self::Quiet | Self::Plain(_) => Ok(()),
            Self::Drawn(live) => say(&live.end()),
        }
    }
}

/// The stop flag of a run: see [`signals`].
pub(in crate::commands::bench) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    signals::stop()
}
