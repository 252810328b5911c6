//! `duet bench replay`: a published report, repeated.

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::workload::refused;
use duet_bench::workload::rest::{Access, Wanted};
use duet_model::Error;
use duet_report::replay::{self, Measured, Page, ROUNDS, SECONDS};
use duet_workloads::rest;

use super::next::{next, report};
use super::own_server::OwnServer;
use super::series::Series;
use super::{replay_rowstore, replay_swingbench, signals};
use crate::args::{BenchReplay, Report, Store, TIMEOUT};
use crate::report::{Outcome, print};

/// Of the report on ORDS.
const USERS: u32 = 10;
const GETS: u64 = 1_000;
/// Where a signal came: half a report would be judged as a whole one.
pub(super) const STOPPED: &str = "error: stopped: there is no page of half a report";

pub(super) fn run(arguments: &BenchReplay) -> Outcome {
    let name = match arguments.report {
        Report::Ords => "ords",
        Report::Rowstore => "rowstore",
        Report::Swingbench => "swingbench",
    };
    let mut series = Series::within(arguments.out.as_deref(), &format!("replay-{name}"))?;
    let page = match arguments.report {
        Report::Ords => ords(arguments, &mut series)?,
        Report::Rowstore => replay_rowstore::run(arguments.on, arguments.quick, &series)?,
        Report::Swingbench => replay_swingbench::run(arguments.on, arguments.quick, &mut series)?,
    };
    let text = page.text();
    if let Some(ended) = signals::ended(STOPPED) {
        return Err(ended);
    }
    series.write("replay.md", &text)?;
    let path = series.write("replay.html", &page.html())?;
    let folders = series.folders();
    let next = if folders.is_empty() { String::new() } else { next(&[report(&folders)]) };
    print(&format!("\n{text}\nSaved to {}\n{next}", path.display()))?;
    series.agreed()
}

/// Rounds of which each is as the report ran its two, at most so many.
const MOST_ROUNDS: usize = 40;

/// The report's order: the view, then the table; every other round backwards. Rounds go on until enough
/// was measured to judge a ratio; a quick one is a single round.
fn ords(arguments: &BenchReplay, series: &mut Series) -> Outcome<Page> {
    let gets = if arguments.quick { GETS / 10 } else { GETS };
    let server = OwnServer::start(arguments.on.unwrap_or(Store::Sqlite))?;
    let (_, resources) = replay::ords_sample().map_err(Error::internal)?;
    let measured = |(resource, _): &(String, String)| Measured {
        server: server.describe.into(),
        resource: resource.clone(),
        results: Vec::new(),
    };
    let mut all: Vec<Measured> = resources.iter().map(measured).collect();
    for round in 0..MOST_ROUNDS {
        print(&format!(
            "{}, round {}: {USERS} users, {gets} GETs each\n",
            server.describe,
            round + 1
        ))?;
        let mut places: Vec<usize> = (0..resources.len()).collect();
        if round % 2 == 1 {
            places.reverse();
        }
        for place in places {
            let (resource, name) = &resources[place];
            let mut prepared = resource_of(&server, name)?;
            let result = series.run(resource, &plan(gets), &mut prepared)?;
            all[place].results.push(result);
            if series.is_over() {
                break;
            }
        }
        let is_enough = round + 1 >= ROUNDS && all.iter().all(|it| it.seconds() >= SECONDS);
        if arguments.quick || is_enough || series.is_over() {
            break;
        }
    }
    Ok(replay::ords(&all).map_err(Error::internal)?)
}

fn resource_of(server: &OwnServer, name: &str) -> Outcome<Prepared> {
    let address = server.resource(name);
    let url: Url = address.parse().map_err(|said: String| refused(&said))?;
    let access = Access { client: Some(server.client.clone()), ..Access::default() };
    let wanted = Wanted { weights: [1.0, 0.0, 0.0, 0.0], items: 10_000, timeout: TIMEOUT };
    Ok(rest::prepared(&url, &access, &wanted, server.describe)?)
}

fn plan(gets: u64) -> Plan {
    Plan { iterations: Some(gets), timeout: TIMEOUT, ..Plan::closed(1, USERS) }
}
