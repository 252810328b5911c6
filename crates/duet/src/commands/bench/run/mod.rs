//! One run of `duet bench run`, from the command line to the file of results.

mod abort;
pub(super) mod dry_run;
mod file;
pub(super) mod file_mistake;
mod live_page;
pub(super) mod plan;
mod planned;
pub(super) mod series;
pub(super) mod service_access;
pub(super) mod sql_target;
pub(super) mod terminal_run;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use duet_bench::agents::AgentAddress;
use duet_bench::facts;
use duet_bench::observe::ObservedDatabase;
use duet_bench::run::{Job, Model, Phases, Plan, Prepared, SampleFiles};
use duet_bench::workload::cannot;
use duet_bench::workload::file::FileFacts;
use duet_model::Error;
use duet_verdict::result::{ABORTED, RunResult};
use duet_verdict::soundness::problems_beside;
use duet_verdict::threshold::Rule;
use duet_workloads::built_in::{BuiltIn, Request, Run, Target, Targets};
use duet_workloads::registry;

use self::planned::planned;
use self::service_access::{access, service_url, wanted};
use self::sql_target::named;
use self::terminal_run::{LiveOutput, RunOutput, Verbosity, conduct, receivers, stop_on_ctrl_c};
use super::agent::fleet;
use super::disagreement::disagreement;
use super::ending::MeasurementEnding;
use super::results::run_files::check_vacant;
use super::results::sample_files;
use super::started::spinners::keep_awake;
use super::started::{host, signals};
use crate::args::{BenchRun, TIMEOUT, is_service, owners_of_flag, workload_names};
use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, target_of};
use crate::report::Outcome;

/// The default measured time, if no number of transactions is given.
const DURATION: Duration = Duration::from_secs(10);
/// The default warm-up, if no number of transactions is given.
pub(super) const WARM_UP: Duration = Duration::from_secs(2);
/// Default users of closed runs, and of open ones.
const USERS: u32 = 8;
const OPEN_USERS: u32 = 128;
/// The seed of the random numbers of a single run.
const SEED: u64 = 1;
/// The requirement of options of certificates, and of those of connections.
const HTTPS: &str = "services by https://";
const SERVICES: &str = "services";
/// The placeholder of the machine's name in the folder of the result.
const HOST: &str = "{host}";
pub(super) fn run(arguments: &BenchRun) -> Outcome {
    only_where_meant(arguments)?;
    if arguments.dry_run {
        return dry_run::run(arguments);
    }
    let folder = folder(arguments)?;
    check_vacant(&folder)?;
    let fleet = fleet(arguments)?;
    let receivers = receivers(arguments)?;
    let mut plan = plan_of(arguments);
    let (mut prepared, teardown) = prepare(arguments, &plan, None)?;
    if let Some(own) = prepared.plan.take() {
        plan = Plan { samples: plan.samples, ..own };
    }
    refuse_idle_agents(arguments, &plan)?;
    plan.samples.url = sample_files::url(&prepared.target);
    let thresholds = thresholds(arguments)?;
    if arguments.abort_on_fail.is_some() && !thresholds.iter().any(abort::is_judged_early) {
        let message = "`--abort-on-fail` needs a --threshold that is judged while the run goes on: on times, tps, errors or failed.";
        return Err(CommandError::usage(message));
    }
    if fleet.as_ref().is_some_and(|fleet| fleet.len() > 1) && plan.ends_by_groups() {
        let message = "Groups of users share values, so they run in one process: name one agent.";
        return Err(CommandError::usage(message));
    }
    sample_files::begin(&plan.samples, &arguments.workload)?;
    let output = RunOutput {
        abort_after: arguments.abort_on_fail,
        name: arguments.name.as_deref().unwrap_or_default(),
        show: &arguments.show,
        verbosity: match (arguments.json, arguments.quiet) {
            (true, _) => Verbosity::Json,
            (false, true) => Verbosity::Summary,
            (false, false) => Verbosity::All,
        },
        folder,
        shared: arguments.shared,
        thresholds: &thresholds,
        most_failed: arguments.errors / 100.0,
        live: if arguments.live { LiveOutput::Own } else { LiveOutput::Off },
        xml: arguments.xml.as_deref(),
        receivers: &receivers,
        fleet: fleet.as_ref(),
    };
    let result = conduct(&output, &plan, &mut prepared, &stop_on_ctrl_c());
    // The results of a setup are removed, however the run ended.
    let torn_down = teardown.map_or(Ok(()), file::Teardown::run);
    judge(&result?, arguments, &thresholds)?;
    torn_down
}

/// The given thresholds; without one, those of the given preset.
fn thresholds(arguments: &BenchRun) -> Outcome<Vec<Rule>> {
    let preset = registry::run(&arguments.workload).and_then(|(workload, _)| {
        let named = arguments.preset.as_deref()?;
        workload.presets().iter().find(|preset| preset.name == named)
    });
    let (Some(preset), true) = (preset, arguments.thresholds.is_empty()) else {
        return Ok(arguments.thresholds.clone());
    };
    let rules = preset.limits.iter().map(|limit| limit.parse::<Rule>().map_err(Error::internal));
    Ok(rules.collect::<Result<_, _>>()?)
}

/// Prepares a workload and its target for the runs of [`plan_of`]. A workload's own teardown runs
/// when it is dropped.
pub(super) fn prepare_workload(arguments: &BenchRun) -> Outcome<Prepared> {
    only_where_meant(arguments)?;
    let (mut prepared, teardown) = prepare(arguments, &plan_of(arguments), None)?;
    if prepared.plan.is_some() {
        let message = format!(
            "{} ends by itself with these options: it has no trials of a given length.",
            arguments.workload
        );
        return Err(CommandError::usage(message));
    }
    // The teardown comes before its database is removed.
    prepared.keep(teardown);
    Ok(prepared)
}

/// Prepares the same workload by another transport: the setup of a user's file has already run, and
/// stays until the first one ends.
pub(super) fn prepare_again(arguments: &BenchRun, before: &Job) -> Outcome<Prepared> {
    match before {
        Job::File(facts) => {
            only_where_meant(arguments)?;
            Ok(prepare(arguments, &plan_of(arguments), Some(facts))?.0)
        }
        Job::BuiltIn(_) => prepare_workload(arguments),
    }
}

/// A workload, and its pending teardown.
fn prepare(
    arguments: &BenchRun,
    plan: &Plan,
    before: Option<&FileFacts>,
) -> Outcome<(Prepared, Option<file::Teardown>)> {
    let (mut prepared, teardown) = prepare_quiet(arguments, plan, before)?;
    if let Some(text) = &arguments.observe {
        observe(&mut prepared, text)?;
    }
    if arguments.spinners {
        keep_awake(&mut prepared)?;
    }
    Ok((prepared, teardown))
}

/// Has a database observed that the target is not. All of its sessions count: those of the service have names of their own.
fn observe(prepared: &mut Prepared, text: &str) -> Outcome {
    if prepared.watched.database.is_some() {
        let message = "This workload observes its database already.";
        return Err(CommandError::usage(message).hint("Leave out `--observe`."));
    }
    let database = target_of(&DatabaseUrl::read(text, Path::new(""))?)?;
    let database = ObservedDatabase::of(&database, None);
    let database = database.map_err(|failed| cannot("The database cannot be observed", &failed))?;
    prepared.watched.database = Some(ObservedDatabase { applications: Vec::new(), ..database });
    Ok(())
}

/// The same without the processes that keep processors awake.
fn prepare_quiet(
    arguments: &BenchRun,
    plan: &Plan,
    before: Option<&FileFacts>,
) -> Outcome<(Prepared, Option<file::Teardown>)> {
    if file::is_file(&arguments.workload) {
        let own = file::prepare(arguments, plan, before)?;
        return Ok((own.prepared, own.teardown));
    }
    let Some((workload, run)) = registry::run(&arguments.workload) else {
        let message = format!("There is no workload {:?}.", arguments.workload);
        let known = format!("There are {}, and files of your own: FILE.toml.", workload_names());
        return Err(CommandError::usage(message).hint(known));
    };
    let request = request(arguments, workload, run, plan)?;
    Ok((host::prepare(workload, &request)?, None))
}

/// The plan of this workload's runs.
pub(super) fn plan_of(arguments: &BenchRun) -> Plan {
    let run = registry::run(&arguments.workload);
    plan(arguments, run.map_or(TIMEOUT, |(_, run)| run.timeout))
}

/// The request to a built-in workload.
fn request(
    arguments: &BenchRun,
    workload: &dyn BuiltIn,
    run: &'static Run,
    plan: &Plan,
) -> Outcome<Request> {
    let service = arguments.service.as_ref().map(|text| service_url(arguments, text));
    Ok(Request {
        target: target(arguments, workload, run)?,
        service: service.transpose()?,
        access: access(arguments)?,
        metrics: arguments.metrics.clone(),
        scale: arguments.scale,
        wanted: wanted(arguments),
        given: arguments.own.given.clone(),
        planned: planned(arguments),
        ..Request::new(run.name, plan.clone())
    })
}

/// The target, of the kind that the workload requires.
fn target(arguments: &BenchRun, workload: &dyn BuiltIn, run: &Run) -> Outcome<Option<Target>> {
    let Some(text) = &arguments.target else { return Ok(None) };
    let wrong = |takes: &str| {
        let message = format!("The target of {} is {takes}.", run.name);
        Err(CommandError::usage(message))
    };
    match (is_service(text), run.targets) {
        (true, Targets::Databases) => wrong("a database: postgres://… or sqlite:PATH"),
        (false, Targets::Services) => {
            wrong("the URL of a service: http://…, https://… or unix:SOCKET:/path")
        }
        (true, _) => Ok(Some(Target::Service(service_url(arguments, text)?))),
        (false, _) => {
            named(text).map(|database| Some(Target::Database(database))).map_err(|error| {
                match workload.data() {
                    // The data set that creates it is known.
                    Some(set) if error.advice().is_some() => {
                        let hint =
                            format!("`duet bench load {} --database {text}` makes it.", set.name());
                        error.hint(hint)
                    }
                    _ => error,
                }
            })
        }
    }
}

/// Rejects options of other workloads, and of services if none is measured.
fn only_where_meant(arguments: &BenchRun) -> Outcome {
    if let Some(why) = AgentAddress::repeated(&arguments.agents) {
        return Err(CommandError::usage(format!("`--agents`: {why}.")));
    }
    let own = registry::run(&arguments.workload).map_or(&[][..], |(workload, _)| workload.flags());
    let is_foreign = |name: &&str| !own.iter().any(|flag| flag.name == *name);
    let foreign = arguments.own.given.names().filter(is_foreign);
    let foreign = foreign.map(|flag| (format!("--{flag}"), owners_of_flag(flag)));
    let urls = [&arguments.target, &arguments.service];
    let is_service = urls.into_iter().flatten().any(|url| is_service(url))
        || (arguments.target.is_none() && file::is_file(&arguments.workload));
    let of_services = [
        ("--cacert", arguments.cacert.is_some(), HTTPS),
        ("--insecure", arguments.insecure, HTTPS),
        ("--cert", arguments.cert.is_some(), HTTPS),
        ("--proxy", arguments.proxy.is_some(), SERVICES),
        ("--metrics", arguments.metrics.is_some(), SERVICES),
        ("--http2", arguments.http2, SERVICES),
    ];
    let of_services = of_services.into_iter().filter(|(_, is_given, _)| *is_given && !is_service);
    let has_file = file::is_file(&arguments.workload);
    let of_files = [
        ("-J", !arguments.properties.is_empty() && !has_file, "plans of JMeter and workload files"),
        (
            "--pass-over",
            !arguments.pass_over.is_empty() && !plan::is_plan(&arguments.workload),
            "plans of JMeter",
        ),
    ];
    let of_files = of_files.into_iter().filter(|(_, is_given, _)| *is_given);
    let wrong: Vec<String> = foreign
        .chain(
            of_services.chain(of_files).map(|(flag, _, what)| (flag.to_owned(), what.to_owned())),
        )
        .map(|(flag, what)| format!("`{flag}` is for {what}."))
        .collect();
    if !wrong.is_empty() {
        return Err(CommandError::usage(wrong.join(" ")));
    }
    refuse_idle(arguments)
}

/// Refuses options that would do nothing in this run.
fn refuse_idle(arguments: &BenchRun) -> Outcome {
    const ALL_COUNT: &str = "with --iterations each transaction of a user counts";
    const NO_USERS: &str = "arrivals do not wait for users";
    let has_steps = !arguments.steps.is_empty();
    let is_open = arguments.rate.is_some() || has_steps;
    let counted = arguments.iterations.is_some();
    let lasts = |time: Duration| !time.is_zero();
    let warms_up = arguments.warmup.is_some_and(lasts);
    let paces = arguments.pacing.is_some_and(lasts);
    let takes_service =
        registry::run(&arguments.workload).is_some_and(|(workload, _)| workload.takes_service());
    let idle = [
        ("--warmup", counted && warms_up, ALL_COUNT),
        ("--ramp-up", counted && lasts(arguments.ramp_up), ALL_COUNT),
        ("--cooldown", counted && lasts(arguments.cooldown), ALL_COUNT),
        ("--warmup", has_steps && warms_up, "--steps are measured from the first one on"),
        ("--think", is_open && lasts(arguments.think[1]), NO_USERS),
        ("--pacing", is_open && paces, NO_USERS),
        (
            "--service",
            arguments.service.is_some() && !takes_service,
            "the workload reaches no database through a service",
        ),
    ];
    let given = idle.into_iter().filter(|(_, is_given, _)| *is_given);
    let found: Vec<String> =
        given.map(|(option, _, why)| format!("`{option}` would do nothing: {why}.")).collect();
    match found.len() {
        0 => refuse_idle_agents(arguments, &plan_of(arguments)),
        count => {
            let hint = if count == 1 { "Leave it out." } else { "Leave them out." };
            Err(CommandError::usage(found.join(" ")).hint(hint))
        }
    }
}

/// Refuses agents for which a plan has no process: they would run nothing, and the run would be one of fewer machines.
fn refuse_idle_agents(arguments: &BenchRun, plan: &Plan) -> Outcome {
    let idle = arguments.agents.iter().skip(usize::try_from(plan.processes).unwrap_or(usize::MAX));
    let idle: Vec<String> = idle.map(|agent| format!("`{agent}`")).collect();
    if idle.is_empty() {
        return Ok(());
    }
    let message = format!(
        "`--agents` names {} agents, and the run has {} of {} users: {} would run nothing.",
        arguments.agents.len(),
        match plan.processes {
            1 => "1 process".to_owned(),
            processes => format!("{processes} processes"),
        },
        plan.users,
        idle.join(", ")
    );
    Err(CommandError::usage(message)
        .hint("Name fewer agents, or give more users: `--users`, or `--layout` with a process for each agent."))
}

fn plan(arguments: &BenchRun, timeout: Duration) -> Plan {
    let is_open = arguments.rate.is_some() || !arguments.steps.is_empty();
    let agents = u32::try_from(arguments.agents.len()).unwrap_or(u32::MAX).max(1);
    let (processes, users) = match arguments.layout {
        Some((processes, each)) => (processes, processes * each),
        None => {
            let users = arguments.users.unwrap_or(if is_open { OPEN_USERS } else { USERS });
            (agents.min(users), users)
        }
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
    // Each user's first transaction counts, if the number of transactions was given.
    let warm_up = match arguments.iterations.is_some() || of_steps > 0.0 {
        true => Duration::ZERO,
        false => arguments.warmup.unwrap_or(if counted { Duration::ZERO } else { WARM_UP }),
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
        samples: SampleFiles {
            jtl: arguments.jtl.clone(),
            gatling: arguments.gatling.clone(),
            url: String::new(),
        },
    }
}

/// The same choices on every machine would contend for the same rows.
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
                Err(CommandError::usage(message))
            }
        },
    }
}

/// The exit code: failed checks of counts and data first, then thresholds, then those of every run, then that of a
/// signal.
fn judge(result: &RunResult, arguments: &BenchRun, thresholds: &[Rule]) -> Outcome {
    let unbalanced = result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced);
    if unbalanced || result.invariants.iter().any(|row| !row.passed) {
        return Err(MeasurementEnding::Disagreement.saying(disagreement(result)));
    }
    let unmet = |why: &str| Err(MeasurementEnding::Unmet.saying(format!("error: {why}\n")));
    if let Some(missed) = result.thresholds.iter().find(|row| !row.passed) {
        return unmet(&format!("the threshold {} failed: {}", missed.rule, missed.outcome_text()));
    }
    if result.window.ended_by == ABORTED {
        // The whole of it met the threshold that failed before.
        return unmet(result.warnings.first().map_or("", String::as_str));
    }
    if result.totals.completed == 0 {
        let why = match result.totals.failed {
            0 => "no transaction that was due in the measured window ended",
            _ => "see the failures above",
        };
        let text = format!("error: nothing succeeded: {why}\n");
        return Err(MeasurementEnding::NoResult.saying(text));
    }
    match problems_beside(result, arguments.errors / 100.0, thresholds).first() {
        // Its window was shorter than asked for.
        None => signals::ended("error: stopped before the run was done").map_or(Ok(()), Err),
        Some(problem) => unmet(&problem.to_string()),
    }
}
