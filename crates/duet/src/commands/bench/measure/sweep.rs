//! `duet bench run` with several numbers of users, layouts, or numbers of workers and instances of
//! Duet's own server.

use std::time::Duration;

use duet_bench::run::Prepared;
use duet_report::html::{Sweep, SweepPoint, sweep_page};
use duet_report::replay::ReplayPage;
use duet_verdict::series::{InterleavedTrials, TrialFigures, sweep};
use duet_verdict::text::counted;

use crate::args::{BenchMeasure, BenchRun, SeriesOptions, Store};
use crate::command_error::CommandError;
use crate::commands::bench::next::next;
use crate::commands::bench::run::series::{Series, trial_plan};
use crate::commands::bench::run::{plan_of, prepare_workload};
use crate::commands::bench::started::host::sample_table;
use crate::commands::bench::started::own_server::{OwnServer, Size};
use crate::report::{Outcome, print};

/// The default rounds.
const ROUNDS: u32 = 3;

/// A point of the sweep.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    users: Option<u32>,
    layout: Option<(u32, u32)>,
    /// The index of the server.
    server: usize,
    name: String,
}

pub(in crate::commands::bench) fn run(arguments: &BenchMeasure) -> Outcome {
    let options = &arguments.options;
    options.refuse(&["layout"])?;
    let points = points(arguments);
    if points.len() < 2 {
        let error = CommandError::usage("A sweep needs at least two points.");
        return Err(error.hint("Such as --users 1,2,4,8 or --layouts 1x16,4x4."));
    }
    let mut series = Series::begin("sweep", options)?;
    // Dropped last: they serve until the end.
    let servers = servers(options, &sizes(arguments))?;
    let mut sides: Vec<Prepared> = match &*servers {
        [] => vec![prepare_workload(&options.run)?],
        servers => servers.iter().map(|server| served(options, server)).collect::<Outcome<_>>()?,
    };
    let mut trials =
        InterleavedTrials::new(points.len(), arguments.rounds.unwrap_or(ROUNDS), false);
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
        trials.take(TrialFigures::of(&result));
    }
    print_outcome(arguments, &series, &points, &trials)
}

/// Users, or a layout, and a name.
type Load = (Option<u32>, Option<(u32, u32)>, String);

fn points(arguments: &BenchMeasure) -> Vec<Point> {
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
    let sizes = sizes(arguments);
    let usual = [Size::default()];
    let servers = if sizes.is_empty() { &usual[..] } else { &sizes };
    let mut points = Vec::new();
    for (server, size) in servers.iter().enumerate() {
        for (users, layout, name) in &loads {
            let name = [name.clone(), named(size)];
            let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            points.push(Point { users: *users, layout: *layout, server, name: name.join(", ") });
        }
    }
    points
}

/// Every number of workers with every number of instances; nothing where neither was given.
fn sizes(arguments: &BenchMeasure) -> Vec<Size> {
    let each = |counts: &[u32]| -> Vec<Option<u32>> {
        match counts {
            [] => vec![None],
            counts => counts.iter().copied().map(Some).collect(),
        }
    };
    let instances = each(&arguments.server_instances);
    let workers = each(&arguments.server_workers).into_iter();
    let of =
        |workers| instances.iter().map(move |instances| Size { workers, instances: *instances });
    workers.flat_map(of).filter(|size| *size != Size::default()).collect()
}

/// The name of a size in tables: `2 workers, 4 instances`.
fn named(size: &Size) -> String {
    let parts = [(size.workers, "worker"), (size.instances, "instance")];
    let parts = parts.into_iter().filter_map(|(count, noun)| Some(counted(count?.into(), noun)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Duet's own servers, one for each size; idle ones do not slow the others down.
fn servers(options: &SeriesOptions, sizes: &[Size]) -> Outcome<Vec<OwnServer>> {
    if !sizes.is_empty() && options.run.workload != "rest" {
        let message =
            "The bench starts servers with workers or instances for the workload rest alone.";
        return Err(CommandError::usage(message));
    }
    if !sizes.is_empty() && !options.targets.is_empty() {
        let message = "The numbers of workers and instances are of the bench's own server.";
        return Err(CommandError::usage(message).hint("Leave out the target."));
    }
    sizes.iter().map(|size| OwnServer::start_with(Store::Sqlite, size)).collect()
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
    arguments: &BenchMeasure,
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
    if sizes(arguments).len() < 2 && trials.complete() > 0 {
        notes.extend(sweep::law(users, trials));
    }
    let title = format!("{}: sweep", arguments.options.run.workload);
    let table = sweep::points(&names, trials);
    // Servers of several sizes have the same numbers of users.
    let is_of_users = sizes(arguments).len() < 2;
    let point = |(side, point): (usize, &'_ Point)| SweepPoint {
        name: &names[side],
        users: point.users.filter(|_| is_of_users),
        rounds: trials.of(side),
    };
    let curves: Vec<SweepPoint<'_>> = points.iter().enumerate().map(point).collect();
    let swept = Sweep { title: &title, notes: &notes, points: &curves, table: &table };
    let html = sweep_page(&swept);
    let page =
        ReplayPage { title: title.clone(), notes, tables: vec![table], ..ReplayPage::default() };
    series.write_json("sweep.json", &(&names, trials))?;
    let path = series.write("sweep.html", &html)?;
    let next = next(&[series.report()]);
    print(&format!("\n{}\nSaved to {}\n{next}", page.text(), path.display()))?;
    series.end_live(&path);
    series.agreed()
}
