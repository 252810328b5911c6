//! `duet bench run retail`: its modes, as plans of the engine.

use std::time::Duration;

use duet_bench::observe::{self, Watched};
use duet_bench::run::{Job, Plan};
use duet_model::{Code, Error, Result};
use duet_verdict::result::TargetFacts;
use duet_workloads::retail::{Mode, Retail, discover};

use super::run::weights_of;
use super::session::{Prepared, cannot};
use super::sql_target::SqlTarget;
use crate::args::{BenchRun, RetailMode};
use crate::report::Outcome;

/// A query that takes longer is a failure, where nothing else is asked for.
pub(super) const TIMEOUT: Duration = Duration::from_secs(120);
/// The data of a run without a target: so small that it is made in seconds.
const TINY: f64 = 0.01;

/// What is to be run, and how.
pub(super) fn prepare(arguments: &BenchRun, plan: Plan) -> Outcome<(Prepared, Plan)> {
    let mode = mode(arguments);
    let is_whole = matches!(mode, Mode::Power | Mode::Throughput);
    if is_whole {
        ends_by_itself(arguments, mode)?;
    } else if arguments.passes.is_some() {
        let message = "`--passes` is for --mode power and --mode throughput.";
        return Err(Error::new(Code::Setting, message).into());
    }
    let scale = arguments.scale.unwrap_or(TINY);
    let target =
        SqlTarget::open(arguments.target.as_deref(), &duet_workloads::retail::Entry, scale)?;
    let mut types = 0;
    let prepared = prepared(target, mode, &plan, |usual| {
        let names: Vec<&str> = Retail::usual(mode).map(|(short, _)| short).collect();
        let weights = weights_of(arguments, &names, usual)?;
        types = weights.iter().filter(|weight| **weight > 0.0).count() as u64;
        Ok(weights)
    })?;
    let plan = if is_whole { whole(plan, mode, types, arguments.passes) } else { plan };
    Ok((prepared, plan))
}

/// Retail on a database that has its data; `weights` makes weights of the usual ones.
///
/// # Errors
/// Where the data are not there, or the weights ask for what is not.
pub(super) fn prepared(
    target: SqlTarget,
    mode: Mode,
    plan: &Plan,
    weights: impl FnOnce(&[f64]) -> Outcome<Vec<f64>>,
) -> Outcome<Prepared> {
    let found = discover(&target.database, mode, plan.timeout, plan.seed);
    let found = super::super::runtime()?.block_on(found);
    let mut found = found.map_err(|failed| cannot("The database cannot be measured", &failed))?;
    found.facts.weights = weights(&found.facts.weights)?;
    found.allowed().map_err(|failed| cannot("Retail cannot run", &failed))?;
    let facts = found.facts;
    let job = Job::built_in(facts.clone());
    let workload = job.workload().map_err(|failed| cannot("Retail cannot run", &failed))?;
    let database = observe::Database {
        target: facts.database.target().map_err(|failed| cannot("The database", &failed))?,
        applications: vec![duet_bench::targets::sql::SESSION.into()],
        workload: Some(workload),
        users: 0,
    };
    Ok(Prepared {
        workload: format!("retail-{}", mode.name()),
        job,
        target: TargetFacts { server: found.server, data: found.data, ..target.facts() },
        options: [("mode".to_owned(), mode.name().to_owned())].into(),
        watched: Watched { database: Some(database), ..Watched::default() },
        proof: None,
        _kept: target.folder.map(|folder| Box::new(folder) as _),
    })
}

fn mode(arguments: &BenchRun) -> Mode {
    match arguments.mode {
        None | Some(RetailMode::Mix) => Mode::Mix,
        Some(RetailMode::Power) => Mode::Power,
        Some(RetailMode::Throughput) => Mode::Throughput,
        Some(RetailMode::Dml) => Mode::Dml,
    }
}

/// All queries so many times: a power run has one user and a pass before that does not count.
fn whole(mut plan: Plan, mode: Mode, types: u64, passes: Option<u64>) -> Plan {
    plan.phases.warm_up = Duration::ZERO;
    plan.phases.measure = None;
    match mode {
        Mode::Power => {
            (plan.processes, plan.users) = (1, 1);
            plan.uncounted = types;
            plan.iterations = Some(types * (passes.unwrap_or(3) + 1));
        }
        _ => plan.iterations = Some(types * passes.unwrap_or(1)),
    }
    plan
}

/// Refuses what would end a run of whole passes before their end, or begin it otherwise.
fn ends_by_itself(arguments: &BenchRun, mode: Mode) -> Result<()> {
    let name = mode.name();
    let given = [
        ("--duration", arguments.duration.is_some()),
        ("--transactions", arguments.transactions.is_some()),
        ("--iterations", arguments.iterations.is_some()),
        ("--rate", arguments.rate.is_some()),
        ("--steps", !arguments.steps.is_empty()),
        ("--users", mode == Mode::Power && arguments.users.is_some_and(|users| users > 1)),
        ("--layout", mode == Mode::Power && arguments.layout.is_some_and(|pair| pair != (1, 1))),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => {
            let message = format!("`{flag}` does not go with --mode {name}.");
            let hint = "It runs whole passes over all queries; --passes says how many.";
            Err(Error::new(Code::Setting, message).hint(hint))
        }
    }
}
