//! `duet bench run plan.jmx`: a plan of JMeter becomes a workload of groups, which runs like every other.

use std::path::Path;
use std::time::Duration;

use duet_bench::facts::fingerprint;
use duet_bench::jmeter::{self, CompileOptions, Compiled, Problem};
use duet_bench::observe::Watched;
use duet_bench::run::{Job, Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::workload::file::{File, FileFacts, FileTarget, kinds};
use duet_model::Error;
use duet_verdict::result::TargetFacts;

use super::service_access::service_url;
use crate::args::BenchRun;
use crate::command_error::{CommandError, ExitStatus};
use crate::report::{Outcome, warn};

/// The default response timeout of plans.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Whether a file is a plan.
pub(super) fn is_plan(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jmx"))
}

/// Compiles a plan. What is not taken of it is refused together, each with its line.
///
/// # Errors
/// If it cannot be read or taken.
pub(in crate::commands::bench) fn compiled(
    path: &Path,
    text: &str,
    given: &[(String, String)],
    passed_over: &[String],
) -> Outcome<Compiled> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::path::absolute(folder.unwrap_or(Path::new("."))).map_err(Error::internal)?;
    let properties = given.iter().cloned().collect();
    let options = CompileOptions { folder, properties, passed_over: passed_over.to_vec() };
    let compiled = jmeter::compile(text, &options).map_err(|problems| refused(path, &problems))?;
    compiled.unread.iter().for_each(|unread| warn(unread));
    Ok(compiled)
}

fn refused(path: &Path, problems: &[Problem]) -> CommandError {
    let one = |problem: &Problem| {
        format!("error: {}\n --> {}:{}\n", problem.message, path.display(), problem.line)
    };
    CommandError::Ended(ExitStatus::Usage, problems.iter().map(one).collect())
}

/// Reads a plan, and prepares its run.
///
/// # Errors
/// If it cannot be read or taken.
pub(super) fn prepare(arguments: &BenchRun, plan: &Plan) -> Outcome<Prepared> {
    let path = Path::new(&arguments.workload);
    let text =
        std::fs::read_to_string(path).map_err(|error| CommandError::unreadable(path, error))?;
    let Compiled { definition, target, users, .. } =
        compiled(path, &text, &arguments.properties, &arguments.pass_over)?;
    let timeout = arguments.timeout.unwrap_or(TIMEOUT);
    let url = target.map(|text| service_url(arguments, &text)).transpose()?;
    // The settings of the command line are those of every service of the plan.
    let needs_tls = arguments.cacert.is_some() || arguments.insecure || arguments.cert.is_some();
    let reached = match &url {
        Some(url) => url.to_string(),
        None => service_url(arguments, if needs_tls { NOWHERE_TLS } else { NOWHERE })?.to_string(),
    };
    let types = kinds(&definition).map_err(|problem| unfit(&problem))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let facts = FileFacts {
        folder: std::path::absolute(folder.unwrap_or(Path::new("."))).map_err(Error::internal)?,
        target: FileTarget::Http { url: reached, authorization: None },
        weights: vec![1.0; types.len()],
        users,
        timeout,
        given: Some(std::collections::BTreeMap::new()),
        environment: std::collections::BTreeMap::new(),
        definition,
    };
    File::new(facts.clone()).map_err(|problem| unfit(&problem))?;
    let mut content = text.into_bytes();
    for file in facts.definition.files() {
        content.extend(fingerprint(&std::fs::read(facts.folder.join(file))?).into_bytes());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let described = TargetFacts {
        kind: "http".into(),
        address: url.as_ref().map_or_else(|| "services of the plan".into(), Url::place),
        transport: url.as_ref().map_or("tcp", |url| url.transport()).into(),
        server: "HTTP".into(),
        data: [("file".to_owned(), name), ("content".to_owned(), fingerprint(&content))].into(),
        ..TargetFacts::default()
    };
    let metrics = arguments.metrics.as_deref();
    let watched = url.as_ref().map(|url| Watched::of_any_service(url, None, metrics));
    let watched = watched.unwrap_or_default();
    let workload = facts.definition.workload.name.clone();
    let own_plan = plan_of_groups(users, &Plan { timeout, ..plan.clone() });
    let job = Job::File(Box::new(facts));
    Ok(Prepared { watched, plan: Some(own_plan), ..Prepared::new(workload, job, described) })
}

/// The plan of groups: they end by themselves.
pub(super) fn plan_of_groups(users: u32, plan: &Plan) -> Plan {
    Plan {
        seed: plan.seed,
        timeout: plan.timeout,
        grace: plan.grace,
        samples: plan.samples.clone(),
        ..Plan::closed(1, users)
    }
}

/// The target of a plan whose services are known in the run alone: no request goes there.
const NOWHERE: &str = "http://localhost";
const NOWHERE_TLS: &str = "https://localhost";

/// A plan that is well-formed and cannot run.
fn unfit(problem: &duet_bench::workload::file::Problem) -> CommandError {
    let message = format!("The plan cannot run: {problem}");
    CommandError::usage(message)
}
