//! `duet bench run --paths`: one workload over several transports to one database. The setup of a user's
//! file runs once, for the first transport.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use duet_bench::observe::Group;
use duet_bench::run::{Job, Plan, Prepared};
use duet_report::replay::ReplayPage;
use duet_verdict::result::RunResult;
use duet_verdict::series::{InterleavedTrials, TrialFigures, sweep};

use super::ab::without_password;
use crate::args::{BenchMeasure, BenchRun};
use crate::command_error::CommandError;
use crate::commands::bench::next::{next, report};
use crate::commands::bench::run::series::{Series, trial_plan};
use crate::commands::bench::run::sql_target::named;
use crate::commands::bench::run::terminal_run::{RunOutput, conduct_whole};
use crate::commands::bench::run::{plan_of, prepare_again, prepare_workload};
use crate::commands::bench::started::bridge::{Bridge, loopback_port};
use crate::report::{Outcome, print, warn};

/// The default rounds.
const ROUNDS: u32 = 3;

/// A transport.
struct Transport {
    name: String,
    run: BenchRun,
    /// Within the machine's own network.
    prepared: Prepared,
    bridge: Option<Bridge>,
}

pub(in crate::commands::bench) fn run(arguments: &BenchMeasure) -> Outcome {
    arguments.options.refuse(&[])?;
    let given = |(flag, _): &(&str, &str)| arguments.options.is_given(flag);
    let receiver = [("otlp", "--otlp"), ("remote_write", "--remote-write")].into_iter().find(given);
    if let Some((_, receiver)) = receiver.filter(|_| arguments.bridge) {
        let message =
            format!("`{receiver}` cannot be reached from the network namespaces of `--bridge`.");
        return Err(CommandError::usage(message).hint("Leave one of them out."));
    }
    let mut series = Series::begin("paths", &arguments.options)?;
    let mut transports = transports(arguments)?;
    if transports.len() < 2 {
        let error = CommandError::usage("A comparison needs at least two transports.");
        return Err(error.hint("Give the URL of each transport."));
    }
    let whole = plan_of(&arguments.options.run);
    let measure = whole.phases.measure.unwrap_or(Duration::from_secs(10));
    let mut trials =
        InterleavedTrials::new(transports.len(), arguments.rounds.unwrap_or(ROUNDS), false);
    while let Some(trial) = trials.next_trial() {
        let transport = &mut transports[trial.side];
        let plan = trial_plan(&whole, measure, trial.round);
        let folder = series.next_folder(&transport.name);
        let name = transport.name.clone();
        let result = transport.measure(&series.output(&name, folder), &plan, &series.stop())?;
        series.took(&name, &result)?;
        if series.is_over() {
            break;
        }
        trials.take(TrialFigures::of(&result));
    }
    let names: Vec<String> = transports.iter().map(|transport| transport.name.clone()).collect();
    drop(transports);
    print_outcome(arguments, &series, &names, &trials)
}

fn transports(arguments: &BenchMeasure) -> Outcome<Vec<Transport>> {
    let mut transports = Vec::new();
    for target in &arguments.options.targets {
        let run = BenchRun { target: Some(target.clone()), ..arguments.options.run.clone() };
        let mut prepared = match transports.first() {
            None => prepare_workload(&run)?,
            Some(Transport { prepared: first, .. }) => prepare_again(&run, &first.job)?,
        };
        prepared.watched.groups.extend(database_of(target));
        let name = format!("{} {}", prepared.target.transport, without_password(target));
        let job = prepared.job.clone();
        transports.push(Transport { name, run, prepared, bridge: None });
        if arguments.bridge && loopback_port(target).is_some() {
            match bridged(arguments, target, &job) {
                Ok(transport) => transports.push(transport),
                Err(why) => warn(&format!("no bridge to {}: {why}", without_password(target))),
            }
        }
    }
    Ok(transports)
}

/// PostgreSQL's processes, if they run on this machine. They are not visible from a namespace.
fn database_of(target: &str) -> Option<Group> {
    let database = named(target).ok()?.target().ok()?;
    crate::runtime::runtime().ok()?.block_on(Group::of_database(&database))
}

/// The same target from a network namespace; or the reason that it is impossible.
fn bridged(arguments: &BenchMeasure, target: &str, job: &Job) -> Result<Transport, String> {
    let bridge = Bridge::open(target)?;
    let plain = BenchRun { target: Some(target.to_owned()), ..arguments.options.run.clone() };
    let run = BenchRun { target: Some(bridge.target.clone()), ..plain.clone() };
    let why = |failure: CommandError| match failure.coded() {
        Ok(error) => {
            let cause = error.cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
            format!("{}{cause}", error.message.trim_end_matches('.'))
        }
        Err(_) => "the target does not respond".to_owned(),
    };
    let mut prepared = prepare_again(&plain, job).map_err(why)?;
    prepared.watched.groups.extend(database_of(target));
    // A server may only accept its own machine, as PostgreSQL's pg_hba.conf often does.
    bridge.within(|| prepare_again(&run, job).map(drop)).map_err(why)?;
    let name = format!("bridge {}", without_password(target));
    Ok(Transport { name, run, prepared, bridge: Some(bridge) })
}

impl Transport {
    fn measure(
        &mut self,
        output: &RunOutput<'_>,
        plan: &Plan,
        stop: &Arc<AtomicBool>,
    ) -> Outcome<RunResult> {
        let Some(bridge) = &self.bridge else {
            return conduct_whole(output, plan, &mut self.prepared, stop);
        };
        // The server's processes are found by their sockets, outside of the namespace.
        let groups: Vec<Group> = self.prepared.watched.groups.clone();
        let (run, job) = (&self.run, self.prepared.job.clone());
        bridge.within(|| {
            let mut prepared = prepare_again(run, &job)?;
            prepared.watched.groups = groups;
            conduct_whole(output, plan, &mut prepared, stop)
        })
    }
}

fn print_outcome(
    arguments: &BenchMeasure,
    series: &Series,
    names: &[String],
    trials: &InterleavedTrials,
) -> Outcome {
    let page = ReplayPage {
        title: format!("{}: transports to one database", arguments.options.run.workload),
        notes: vec![format!(
            "{} interleaved rounds. Loopback has no loss, no delay of a wire and packets of 64 KB: these are \
             transports within one machine, none of them is a network.",
            trials.complete()
        )],
        tables: vec![sweep::transports(names, trials)],
        ..ReplayPage::default()
    };
    series.write_json("paths.json", &(names, trials))?;
    let path = series.write("paths.html", &page.html())?;
    let next = next(&[report(&series.folders())]);
    print(&format!("\n{}\nSaved to {}\n{next}", page.text(), path.display()))?;
    series.end_live(&path);
    series.agreed()
}
