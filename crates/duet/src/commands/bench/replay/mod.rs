//! `duet bench replay`: repeats a published report.

mod orders;
pub(super) mod rowstore;
mod spread;
mod stores;
mod swingbench;
mod transactions;
mod variants;

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::workload::refused;
use duet_bench::workload::rest::{Access, DiscoverOptions};
use duet_model::Error;
use duet_report::replay::{Load, Replay, ReplayMeasurement, ReplayPage, Runs};
use duet_verdict::text::counted;
use duet_workloads::rest;

use self::variants::{facts, planned};
use super::next::next;
use super::run::series::Series;
use super::started::own_server::OwnServer;
use super::started::signals;
use crate::args::{BenchReplay, Store, TIMEOUT};
use crate::report::{Outcome, print};

/// The error after a signal: an incomplete report must not be judged.
pub(super) const STOPPED: &str = "error: stopped: there is no page of half a report";

pub(super) fn run(arguments: &BenchReplay) -> Outcome {
    let replay = Replay::named(&arguments.report).map_err(Error::internal)?;
    let command = format!("replay-{}", arguments.report);
    let mut series = Series::within(arguments.out.as_deref(), &command)?;
    let page = match replay.load() {
        Load::Rest { users, requests, .. } => {
            let requests = if arguments.quick { requests / 10 } else { *requests };
            rest_rounds(&replay, arguments, *users, requests, &mut series)?
        }
        Load::Lookup { .. } => rowstore::run(&replay, arguments.on, arguments.quick, &series)?,
        Load::OrderEntry { .. } => {
            swingbench::run(&replay, arguments.on, arguments.quick, &mut series)?
        }
        Load::Transactions { .. } => {
            transactions::run(&replay, arguments.on, arguments.quick, &mut series)?
        }
        Load::Orders { .. } => orders::run(&replay, arguments.on, arguments.quick, &mut series)?,
    };
    let summary = page.summary();
    if let Some(ended) = signals::ended(STOPPED) {
        return Err(ended);
    }
    let whole = series.write("replay.md", &page.text())?;
    let path = series.write("replay.html", &page.html())?;
    let is_empty = series.folders().is_empty();
    let next = if is_empty { String::new() } else { next(&[series.report()]) };
    print(&format!(
        "\n{summary}\nTables and conditions that differ: {}\nSaved to {}\n{next}",
        whole.display(),
        path.display()
    ))?;
    series.agreed()
}

/// Rounds with every variant in the report's order, up to this number.
const MOST_ROUNDS: usize = 40;

/// The report's order, reversed in every other round. Rounds continue until enough was measured to
/// judge a ratio; a quick replay has a single round.
fn rest_rounds(
    replay: &Replay,
    arguments: &BenchReplay,
    users: u32,
    requests: u64,
    series: &mut Series,
) -> Outcome<ReplayPage> {
    let server = OwnServer::start(arguments.on.unwrap_or(Store::Sqlite))?;
    let mut all = planned(replay, "server", server.describe);
    for round in 0..MOST_ROUNDS {
        print(&format!(
            "{}, round {}: {}, {requests} GETs each\n",
            server.describe,
            round + 1,
            counted(users.into(), "user")
        ))?;
        let mut places: Vec<usize> = (0..all.len()).collect();
        if round % 2 == 1 {
            places.reverse();
        }
        for place in places {
            let variant = &all[place].variant;
            let mut prepared = resource_of(&server, variant.label("served"))?;
            let name = replay.name(variant);
            let result = series.run(&name, &plan(users, requests), &mut prepared)?;
            if let Runs::Results(results) = &mut all[place].runs {
                results.push(result);
            }
            if series.is_over() {
                break;
            }
        }
        let enough = replay.enough();
        let is_enough =
            round + 1 >= enough.rounds && all.iter().all(|it| it.measured_s() >= enough.seconds);
        if arguments.quick || is_enough || series.is_over() {
            break;
        }
    }
    let facts = facts([("server", server.describe.into())]);
    Ok(replay.page(&ReplayMeasurement { series: all, facts, ..ReplayMeasurement::default() }))
}

fn resource_of(server: &OwnServer, name: &str) -> Outcome<Prepared> {
    let address = server.resource(name);
    let url: Url = address.parse().map_err(|message: String| refused(&message))?;
    let access = Access { client: Some(server.client.clone()), ..Access::default() };
    let wanted = DiscoverOptions { weights: [1.0, 0.0, 0.0, 0.0], items: 10_000, timeout: TIMEOUT };
    Ok(rest::prepared(&url, &access, None, &wanted, server.describe)?)
}

fn plan(users: u32, requests: u64) -> Plan {
    Plan { iterations: Some(requests), timeout: TIMEOUT, ..Plan::closed(1, users) }
}
