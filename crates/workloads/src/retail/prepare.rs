//! `duet bench run retail`: its options, and the plans of its modes.

use std::time::Duration;

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Plan, Prepared};
use duet_bench::workload::{WorkloadFacts as _, cannot, refused};
use duet_model::{Code, Error, Result};
use duet_verdict::result::TargetFacts;

use super::{Entry, Mode, Retail, discover};
use crate::blocking;
use crate::built_in::{Host, Request};
use crate::flag::{Flag, Values};

/// The default timeout of queries, which fail after it.
pub(super) const TIMEOUT: Duration = Duration::from_secs(120);
/// The default scale of a run without a target: its data are loaded in seconds.
const TINY: f64 = 0.01;
/// The default number of measured passes over all queries.
const POWER_PASSES: u64 = 3;
const THROUGHPUT_PASSES: u64 = 1;

pub(super) const MODE: Flag = Flag {
    name: "mode",
    placeholder: "MODE",
    help: "What users do",
    default: Some("mix"),
    values: Values::Words(&[
        ("power", "One user asks every query in a fixed order; a first pass does not count"),
        ("throughput", "Each user asks every query, in an order of its own"),
        ("mix", "Users ask queries by weight"),
        ("dml", "Users write sales: a row each"),
    ]),
};

pub(super) const PASSES: Flag = Flag {
    name: "passes",
    placeholder: "K",
    help: "How often all queries are measured [default: power 3, throughput 1]",
    default: None,
    values: Values::Whole(1, 1_000),
};

/// Prepares a run.
///
/// # Errors
/// If the data do not exist, or options conflict with the mode.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let mode = mode(request);
    let is_whole = matches!(mode, Mode::Power | Mode::Throughput);
    if is_whole {
        ends_by_itself(request, mode)?;
    } else if request.given.has(&PASSES) {
        let message = "`--passes` is for --mode power and --mode throughput.";
        return Err(Error::new(Code::CommandLine, message));
    }
    let database = request.database(host, &Entry, TINY)?;
    let plan = &request.plan;
    let found = blocking(discover(&database, mode, plan.timeout, plan.seed))?;
    let mut found = found.map_err(|failed| cannot("The database cannot be measured", &failed))?;
    let unfit = |failed| cannot("Retail cannot run", &failed);
    let types = Retail::usual(mode).zip(&found.facts.weights);
    let usual: Vec<_> = types.map(|((short, _), weight)| (short, *weight)).collect();
    found.facts.weights = request.wanted.weights(&usual).map_err(|message| refused(&message))?;
    found.allowed().map_err(unfit)?;
    let facts = found.facts;
    let count = facts.weights.iter().filter(|weight| **weight > 0.0).count() as u64;
    let watched = facts.workload().and_then(|it| Watched::of_database(&database, it));
    let target = TargetFacts { server: found.server, data: found.data, ..database.facts() };
    let name = format!("retail-{}", mode.name());
    Ok(Prepared {
        options: [("mode".to_owned(), mode.name().to_owned())].into(),
        watched: watched.map_err(unfit)?,
        plan: is_whole.then(|| whole(plan.clone(), mode, count, request.given.whole(&PASSES))),
        ..Prepared::new(name, Job::built_in(facts), target)
    })
}

fn mode(request: &Request) -> Mode {
    let modes = [Mode::Power, Mode::Throughput, Mode::Mix, Mode::Dml];
    let asked = request.given.text(&MODE);
    modes.into_iter().find(|mode| Some(mode.name()) == asked).unwrap_or(Mode::Mix)
}

/// This many passes over all queries: a power run has one user and an uncounted pass first.
fn whole(mut plan: Plan, mode: Mode, types: u64, passes: Option<u64>) -> Plan {
    plan.phases.warm_up = Duration::ZERO;
    plan.phases.measure = None;
    match mode {
        Mode::Power => {
            (plan.processes, plan.users) = (1, 1);
            plan.uncounted = types;
            plan.iterations = Some(types * (passes.unwrap_or(POWER_PASSES) + 1));
        }
        _ => plan.iterations = Some(types * passes.unwrap_or(THROUGHPUT_PASSES)),
    }
    plan
}

/// Rejects options that would end a run of whole passes early, or start it differently.
fn ends_by_itself(request: &Request, mode: Mode) -> Result<()> {
    let several = request.plan.users > 1 || request.plan.processes > 1;
    let is_refused = |option: &&&str| match **option {
        "users" | "layout" => mode == Mode::Power && several,
        _ => true,
    };
    match request.planned.iter().find(is_refused) {
        None => Ok(()),
        Some(option) => {
            let message = format!("`--{option}` cannot be combined with --mode {}.", mode.name());
            let hint = "It runs whole passes over all queries; set their number with --passes.";
            Err(Error::new(Code::CommandLine, message).hint(hint))
        }
    }
}
