//! `duet bench run`: one run of a workload, from the command line to the file of results.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use duet_bench::facts;
use duet_bench::observe::{Endpoint, Group, Watched};
use duet_bench::run::{Job, Model, Phases, Plan};
use duet_bench::targets::http::{Trust, Url};
use duet_bench::workload::rest::{self, Access, Wanted};
use duet_model::{Code, Error};
use duet_verdict::result::{RunResult, TargetFacts};
use duet_verdict::soundness::problems_beside;
use duet_workloads::soe::Side;

use super::kept::check_vacant;
use super::own_server::OwnServer;
use super::retail;
use super::session::{Prepared, Telling, Told, cannot, conduct, stop_on_ctrl_c};
use super::{file, lookup, series, soe};
use crate::args::{BenchRun, Store};
use crate::report::{Failure, Outcome};

/// What is measured where neither time nor a number of transactions is given.
const DURATION: Duration = Duration::from_secs(10);
/// An answer of a service that takes longer is a failure.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
/// Users of closed runs, and of open ones.
const USERS: u32 = 8;
const OPEN_USERS: u32 = 128;
/// Of the random numbers, of a run that is alone.
const SEED: u64 = 1;
/// What stands for the machine's name in the folder of the result.
const HOST: &str = "{host}";
/// The exit codes beside those of every command.
pub(super) const LIMIT_MISSED: u8 = 3;
pub(super) const DISAGREES: u8 = 4;

pub(super) fn run(arguments: &BenchRun) -> Outcome {
    only_where_meant(arguments)?;
    let folder = folder(arguments)?;
    check_vacant(&folder)?;
    let mut teardown = None;
    let (mut prepared, plan) = match arguments.workload.as_str() {
        "retail" => retail::prepare(arguments, plan(arguments, retail::TIMEOUT))?,
        name if file::is_file(name) => {
            let plan = plan(arguments, TIMEOUT);
            let own = file::prepare(arguments, &plan, None)?;
            teardown = own.teardown;
            (own.prepared, plan)
        }
        _ => (other(arguments)?, plan(arguments, TIMEOUT)),
    };
    let telling = Telling {
        name: arguments.name.as_deref().unwrap_or_default(),
        show: &arguments.show,
        told: match (arguments.json, arguments.quiet) {
            (true, _) => Told::Json,
            (false, true) => Told::Summary,
            (false, false) => Told::All,
        },
        folder,
        shared: arguments.shared,
        thresholds: &arguments.thresholds,
        most_failed: arguments.errors / 100.0,
    };
    let result = conduct(&telling, &plan, &mut prepared, &stop_on_ctrl_c());
    // What setup has made goes away, however the run went.
    let torn_down = teardown.map_or(Ok(()), file::Teardown::run);
    judge(&result?, arguments)?;
    torn_down
}

/// A workload with its target, ready for runs as [`plan_of`] has them. A workload's own teardown runs
/// when it is dropped.
pub(super) fn prepare_workload(arguments: &BenchRun) -> Outcome<Prepared> {
    only_where_meant(arguments)?;
    let plan = plan_of(arguments);
    match arguments.workload.as_str() {
        "retail" => match retail::prepare(arguments, plan.clone())? {
            (prepared, same) if same == plan => Ok(prepared),
            _ => {
                let message = "This mode of retail ends by itself: it has no slices.";
                Err(Error::new(Code::Setting, message).into())
            }
        },
        name if file::is_file(name) => {
            let file::Own { mut prepared, teardown } = file::prepare(arguments, &plan, None)?;
            let kept = prepared._kept.take();
            prepared._kept = Some(Box::new((teardown, kept)));
            Ok(prepared)
        }
        _ => other(arguments),
    }
}

/// The same workload by another way to where it was prepared before: what a file of one's own sets up is
/// there already, and stays until the first one's end.
pub(super) fn prepare_again(arguments: &BenchRun, before: &Job) -> Outcome<Prepared> {
    match before {
        Job::File(facts) => {
            only_where_meant(arguments)?;
            Ok(file::prepare(arguments, &plan_of(arguments), Some(facts))?.prepared)
        }
        _ => prepare_workload(arguments),
    }
}

/// What a run of this workload will do.
pub(super) fn plan_of(arguments: &BenchRun) -> Plan {
    match arguments.workload.as_str() {
        "retail" => plan(arguments, retail::TIMEOUT),
        _ => plan(arguments, TIMEOUT),
    }
}

fn other(arguments: &BenchRun) -> Outcome<Prepared> {
    match arguments.workload.as_str() {
        "rest" => rest(arguments),
        "lookup" => lookup::prepare(arguments),
        "soe-client" => soe::prepare(arguments, Side::Client),
        "soe-server" => soe::prepare(arguments, Side::Server),
        "soe-rest" => soe::prepare(arguments, Side::Rest),
        "soe-rest-client" => soe::prepare(arguments, Side::RestClient),
        other => {
            let error = Error::new(Code::Setting, format!("There is no workload {other:?}."));
            let known = "There are rest, lookup, retail, soe-client, soe-server, soe-rest, soe-rest-client, and files of your own: FILE.toml.";
            Err(error.hint(known).into())
        }
    }
}

/// Refuses what only retail understands where something else is measured, and what only services do.
fn only_where_meant(arguments: &BenchRun) -> Outcome {
    let is_retail = arguments.workload == "retail";
    let urls = [&arguments.target, &arguments.service];
    let is_service = urls.into_iter().flatten().any(|url| is_service(url))
        || (arguments.target.is_none() && file::is_file(&arguments.workload));
    let given = [
        ("--mode", arguments.mode.is_some() && !is_retail, "the workload retail"),
        ("--passes", arguments.passes.is_some() && !is_retail, "the workload retail"),
        ("--cacert", arguments.cacert.is_some() && !is_service, "services by https://"),
        ("--insecure", arguments.insecure && !is_service, "services by https://"),
    ];
    match given.iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((flag, _, what)) => {
            Err(Error::new(Code::Setting, format!("`{flag}` is for {what}.")).into())
        }
        None => Ok(()),
    }
}

/// Whether a target is a service, not a database.
pub(super) fn is_service(target: &str) -> bool {
    let schemes = ["http://", "https://", "http+unix://", "unix:"];
    schemes.iter().any(|scheme| target.starts_with(scheme))
}

/// The URL of a service, with what is believed of its certificate.
///
/// # Errors
/// Where it is none, or is asked to trust certificates and has none.
pub(super) fn service_url(arguments: &BenchRun, text: &str) -> Outcome<Url> {
    let mut url: Url = text.parse().map_err(|said: String| Error::new(Code::Setting, said))?;
    let (flag, trust) = match (&arguments.cacert, arguments.insecure) {
        (Some(file), _) => ("--cacert", Trust::File(std::path::absolute(file)?)),
        (None, true) => ("--insecure", Trust::Anything),
        (None, false) => return Ok(url),
    };
    if url.trust.is_none() {
        let message = format!("`{flag}` is for services by https://, and {url} is none.");
        return Err(Error::new(Code::Setting, message).into());
    }
    url.trust = Some(trust);
    Ok(url)
}

fn rest(arguments: &BenchRun) -> Outcome<Prepared> {
    let server = match &arguments.target {
        Some(_) => None,
        None => Some(OwnServer::start(Store::Sqlite)?),
    };
    let text = match (&arguments.target, &server) {
        (Some(target), _) => target.clone(),
        (None, Some(server)) => server.resource(&sample_table()?),
        (None, None) => String::new(),
    };
    let url = service_url(arguments, &text)?;
    let client = match (&arguments.client, &server) {
        (Some(client), _) => Some(split_client(client)?),
        (None, server) => server.as_ref().map(|server| server.client.clone()),
    };
    let access =
        Access { token: arguments.token.clone(), client, token_path: arguments.token_path.clone() };
    let weights = weights(arguments, ["GET", "PAGE", "PUT", "CYCLE"], [1.0, 0.0, 0.0, 0.0])?;
    let wanted = Wanted {
        weights,
        items: arguments.items.max(1),
        timeout: arguments.timeout.unwrap_or(TIMEOUT),
    };
    let found = super::super::runtime()?.block_on(rest::discover(&url, &access, &wanted));
    let facts = found.map_err(|failed| cannot("The service cannot be measured", &failed))?;
    let target = TargetFacts {
        kind: "http".into(),
        address: url.to_string(),
        transport: url.transport().into(),
        server: server.as_ref().map_or("HTTP", |server| server.describe).into(),
        data: [("items".to_owned(), facts.items.len().to_string())].into(),
        ..TargetFacts::default()
    };
    let watched = service(&url, facts.authorization.clone());
    Ok(Prepared {
        workload: "rest".into(),
        job: Job::Rest(facts),
        target,
        options: BTreeMap::new(),
        watched,
        proof: None,
        _kept: server.map(|server| Box::new(server) as _),
    })
}

/// A service's counters and its processes, where it is on this machine.
pub(super) fn service(url: &Url, authorization: Option<String>) -> Watched {
    Watched {
        service: Some(Endpoint::of(url, authorization)),
        groups: Group::serving(url).into_iter().collect(),
        ..Watched::default()
    }
}

/// A table of the sample: the one that published reports measured.
pub(super) fn sample_table() -> Outcome<String> {
    let (_, resources) = duet_report::replay::ords_sample().map_err(Error::internal)?;
    Ok(resources.into_iter().last().map(|(_, name)| name).unwrap_or_default())
}

pub(super) fn split_client(client: &str) -> Outcome<(String, String)> {
    match client.split_once(':') {
        Some((id, secret)) => Ok((id.to_owned(), secret.to_owned())),
        None => Err(Error::new(Code::Setting, "The client is not ID:SECRET.").into()),
    }
}

/// Weights by the types' short names: as given, or as usual.
pub(super) fn weights<const N: usize>(
    arguments: &BenchRun,
    names: [&str; N],
    usual: [f64; N],
) -> Outcome<[f64; N]> {
    let weights = weights_of(arguments, &names, &usual)?;
    Ok(std::array::from_fn(|place| weights.get(place).copied().unwrap_or(0.0)))
}

/// The same of any number of types.
pub(super) fn weights_of(arguments: &BenchRun, names: &[&str], usual: &[f64]) -> Outcome<Vec<f64>> {
    let given =
        [("--preset", arguments.preset.is_some()), ("--enable", !arguments.enable.is_empty())];
    if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let message =
            format!("`{flag}` has no meaning here: {} has no presets.", arguments.workload);
        return Err(Error::new(Code::Setting, message).hint("Weights are set by --mix.").into());
    }
    let none = arguments.mix.is_empty();
    let mut weights = if none { usual.to_vec() } else { vec![0.0; names.len()] };
    let unknown = |name: &str| {
        let known = names.join(", ");
        Error::new(Code::Setting, format!("There is no type {name:?}; there are {known}."))
    };
    let place = |name: &str| names.iter().position(|known| known.eq_ignore_ascii_case(name));
    for (name, weight) in &arguments.mix {
        weights[place(name).ok_or_else(|| unknown(name))?] = *weight;
    }
    for name in &arguments.disable {
        weights[place(name).ok_or_else(|| unknown(name))?] = 0.0;
    }
    match weights.iter().any(|weight| *weight > 0.0) {
        true => Ok(weights),
        false => Err(Error::new(Code::Setting, "No type of transaction is left to run.").into()),
    }
}

fn plan(arguments: &BenchRun, timeout: Duration) -> Plan {
    let is_open = arguments.rate.is_some() || !arguments.steps.is_empty();
    let (processes, users) = match arguments.layout {
        Some((processes, each)) => (processes, processes * each),
        None => (1, arguments.users.unwrap_or(if is_open { OPEN_USERS } else { USERS })),
    };
    let of_steps: f64 = arguments.steps.iter().map(|(_, seconds)| seconds).sum();
    let counted = arguments.transactions.is_some() || arguments.iterations.is_some();
    let measure = match (arguments.duration, counted) {
        (Some(duration), _) => Some(duration),
        (None, true) => None,
        (None, false) if of_steps > 0.0 => Some(Duration::from_secs_f64(of_steps)),
        (None, false) => Some(DURATION),
    };
    let model = match is_open {
        true => Model::Open {
            rate: arguments.rate.unwrap_or(0.0),
            poisson: !arguments.even,
            steps: arguments.steps.clone(),
        },
        false => Model::Closed,
    };
    // Each user's first transaction counts, where their number is what was asked for.
    let warm_up = match arguments.iterations.is_some() || of_steps > 0.0 {
        true => Duration::ZERO,
        false => arguments.warmup,
    };
    Plan {
        processes,
        users,
        model,
        phases: Phases {
            ramp_up: arguments.ramp_up,
            warm_up,
            measure,
            cool_down: arguments.cooldown,
        },
        transactions: arguments.transactions,
        iterations: arguments.iterations,
        uncounted: 0,
        think: arguments.think,
        think_inside: arguments.think_inside,
        pacing: arguments.pacing,
        seed: seed(arguments),
        timeout: arguments.timeout.unwrap_or(timeout),
        grace: arguments.grace,
    }
}

/// The same choices on every machine would meet in the same rows.
fn seed(arguments: &BenchRun) -> u64 {
    match (arguments.seed, arguments.shared) {
        (Some(seed), _) => seed,
        (None, false) => SEED,
        (None, true) => {
            let mut hasher = DefaultHasher::new();
            facts::host_name().hash(&mut hasher);
            hasher.finish()
        }
    }
}

fn folder(arguments: &BenchRun) -> Outcome<PathBuf> {
    let Some(out) = &arguments.out else {
        let workload = Path::new(&arguments.workload).file_stem().unwrap_or_default();
        return Ok(series::folder(None, &workload.display().to_string()));
    };
    match out.to_str().filter(|text| text.contains(HOST)) {
        None => Ok(out.clone()),
        Some(text) => match facts::host_name() {
            Some(name) => Ok(text.replace(HOST, &name).into()),
            None => {
                let message = "The name of this machine is not known: write it instead of {host}.";
                Err(Error::new(Code::Setting, message).into())
            }
        },
    }
}

/// The exit code: what did not agree first, then the limits, then those of every run.
fn judge(result: &RunResult, arguments: &BenchRun) -> Outcome {
    let unbalanced = result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced);
    if unbalanced || result.invariants.iter().any(|row| !row.passed) {
        let text = "error: counts or data do not agree: see the marked lines above\n".into();
        return Err(Failure::Code(DISAGREES, text));
    }
    if let Some(missed) = result.thresholds.iter().find(|row| !row.passed) {
        return Err(Failure::Code(
            LIMIT_MISSED,
            format!("error: the limit {} was missed: {}\n", missed.rule, missed.told()),
        ));
    }
    if result.totals.completed == 0 {
        return Err(Failure::Code(1, "error: nothing succeeded: see the failures above\n".into()));
    }
    let problems = problems_beside(result, arguments.errors / 100.0, &arguments.thresholds);
    match problems.first() {
        None => Ok(()),
        Some(problem) => Err(Failure::Code(LIMIT_MISSED, format!("error: {problem}\n"))),
    }
}
