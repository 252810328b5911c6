//! `duet bench sweep`: measures numbers of users, layouts, numbers of workers of Duet's own server.

use std::time::Duration;

use duet_bench::run::Prepared;
use duet_model::{Code, Error, Result};
use duet_report::replay::Page;
use duet_verdict::series::{Figures, InterleavedTrials, sweep};
use duet_verdict::text::counted;

use super::host::sample_table;
use super::next::{next, report};
use super::own_server::OwnServer;
use super::run::{plan_of, prepare_workload};
use super::series::{Series, trial_plan};
use crate::args::{BenchRun, BenchSweep, SeriesOptions, Store};
use crate::report::{Outcome, print};

/// A point of the sweep.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    users: Option<u32>,
    layout: Option<(u32, u32)>,
    /// The index of the server.
    server: usize,
    name: String,
}

pub(super) fn run(arguments: &BenchSweep) -> Outcome {
    let options = &arguments.options;
    options.refuse(&["layout"])?;
    let points = points(arguments);
    if points.len() < 2 {
        let error = Error::new(Code::Setting, "A sweep needs at least two points.");
        return Err(error.hint("Such as --users 1,2,4,8 or --layouts 1x16,4x4.").into());
    }
    let mut series = Series::begin("sweep", options)?;
    // Dropped last: they serve until the end.
    let servers = servers(options, &arguments.server_workers)?;
    let mut sides: Vec<Prepared> = match &*servers {
        [] => vec![prepare_workload(&options.run)?],
        servers => servers.iter().map(|server| served(options, server)).collect::<Outcome<_>>()?,
    };
    let mut trials = InterleavedTrials::new(points.len(), arguments.repeat, false);
    while let Some(trial) = trials.next_trial() {
        let point = &points[trial.side];
        let options = BenchRun { users: point.users, layout: point.layout, ..options.run.clone() };
        let plan = plan_of(&options);
        let measure = plan.phases.measure.unwrap_or(Duration::from_secs(10));
        let plan = trial_plan(&plan, measure, trial.round);
        let result = series.run(&point.name, &plan, &mut sides[point.server])?;
        if series.is_over() {
            break;
        }
        trials.take(Figures::of(&result));
    }
    print_outcome(arguments, &series, &points, &trials)
}

/// Users, or a layout, and a name.
type Load = (Option<u32>, Option<(u32, u32)>, String);

fn points(arguments: &BenchSweep) -> Vec<Point> {
    let mut loads: Vec<Load> = Vec::new();
    for users in &arguments.options.users {
        loads.push((Some(*users), None, counted((*users).into(), "user")));
    }
    for (processes, users) in &arguments.layouts {
        loads.push((None, Some((*processes, *users)), format!("{processes}x{users}")));
    }
    if loads.is_empty() {
        loads.push((None, None, String::new()));
    }
    let mut points = Vec::new();
    for server in 0..arguments.server_workers.len().max(1) {
        let workers = arguments.server_workers.get(server);
        let workers = workers.map(|count| counted((*count).into(), "worker"));
        for (users, layout, name) in &loads {
            let parts = [name.clone(), workers.clone().unwrap_or_default()];
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            points.push(Point { users: *users, layout: *layout, server, name: name.join(", ") });
        }
    }
    points
}

/// Duet's own servers, one for each number of workers; idle ones do not slow the others down.
fn servers(options: &SeriesOptions, workers: &[u32]) -> Result<Vec<OwnServer>> {
    if !workers.is_empty() && options.run.workload != "rest" {
        let message = "The bench starts a server with workers for the workload rest alone.";
        return Err(Error::new(Code::Setting, message));
    }
    let start = |workers: &u32| OwnServer::start_with(Store::Sqlite, Some(*workers));
    workers.iter().map(start).collect()
}

fn served(options: &SeriesOptions, server: &OwnServer) -> Outcome<Prepared> {
    let (id, secret) = &server.client;
    prepare_workload(&BenchRun {
        target: Some(server.resource(&sample_table()?)),
        client: Some(format!("{id}:{secret}")),
        ..options.run.clone()
    })
}

fn print_outcome(
    arguments: &BenchSweep,
    series: &Series,
    points: &[Point],
    trials: &InterleavedTrials,
) -> Outcome {
    let names: Vec<String> = points.iter().map(|point| point.name.clone()).collect();
    let mut notes = vec![format!(
        "Means of {} interleaved rounds; spread is their standard deviation. Where the load generator shares \
         the processors with the server, more users cost both.",
        trials.complete()
    )];
    if !arguments.layouts.is_empty() {
        notes.push(
            "Each process of a layout adds a client thread: layouts differ in client threads too, not in \
             connections alone."
                .into(),
        );
    }
    let users = &arguments.options.users;
    if arguments.server_workers.len() < 2 && trials.complete() > 0 {
        notes.extend(sweep::law(users, trials));
    }
    let page = Page {
        title: format!("{}: sweep", arguments.options.run.workload),
        notes,
        tables: vec![sweep::points(&names, trials)],
        ..Page::default()
    };
    series.write_json("sweep.json", &(&names, trials))?;
    let path = series.write("sweep.html", &page.html())?;
    let next = next(&[report(&series.folders())]);
    print(&format!("\n{}\nSaved to {}\n{next}", page.text(), path.display()))?;
    series.agreed()
}
