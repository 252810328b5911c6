//! `duet bench run txn`: options, resource and server of payment transactions.

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::{self, Access};
use duet_bench::workload::{Failed, cannot, refused};
use duet_model::Result;
use duet_verdict::result::TargetFacts;

use super::commit::{self, COMMIT};
use super::facts::{CREATE, JOURNALED, KINDS, LIST, LISTED, SQL};
use super::layers::Layers;
use super::{Entry, Facts, PRESETS};
use crate::built_in::{Host, Request, Target};
use crate::flag::{Flag, Values};
use crate::{blocking, journal};

/// Rows of the data that are made where there is no target.
const ROWS: f64 = 10_000.0;
/// Transactions that are read by id at most.
const READ: usize = 10_000;

/// The rows of a batch.
pub const BATCH_ROWS: Flag = Flag {
    name: "batch-rows",
    placeholder: "N",
    help: "Transactions that one request creates in BATCH",
    default: Some("100"),
    values: Values::Whole(1, 1000),
};

/// Makes it ready.
///
/// # Errors
/// Where the options are wrong, the resource cannot be read, or the server does not start.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let mut kinds = Facts::plain_kinds();
    request.wanted.apply(&mut kinds, &PRESETS).map_err(|message| refused(&message))?;
    let weights: [f64; KINDS.len()] =
        std::array::from_fn(|place| kinds.get(place).map_or(0.0, |kind| kind.weight));
    let (url, access, database) = served(request, host, &weights)?;
    let unfit = |failed: Failed| cannot("Transactions cannot be measured", &failed);
    let wanted = rest::DiscoverOptions {
        weights: [1.0, 0.0, 0.0, 0.0],
        items: READ,
        timeout: request.plan.timeout,
    };
    let found = blocking(rest::discover(&url, &access, &wanted))?.map_err(unfit)?;
    let batch_rows = request.given.whole(&BATCH_ROWS).and_then(|rows| usize::try_from(rows).ok());
    let facts = Facts {
        url: url.to_string(),
        authorization: found.authorization,
        database,
        items: found.items,
        weights,
        batch_rows: batch_rows.unwrap_or(LISTED),
        commit: request.given.text(&COMMIT).unwrap_or_default().to_owned(),
        run: Facts::new_run(),
        timeout: request.plan.timeout,
    };
    fits(&facts)?;
    let target = TargetFacts {
        kind: "http".into(),
        address: url.place(),
        transport: url.transport().into(),
        server: facts
            .database
            .as_ref()
            .map_or("HTTP".into(), |it| format!("HTTP, on {}", it.address())),
        data: [("items".to_owned(), facts.items.len().to_string())].into(),
        ..TargetFacts::default()
    };
    let phases = &request.plan.phases;
    let commit = facts.commit.clone();
    let layers = Layers::new(url.clone(), &facts, phases.measured().from);
    let mut prepared = Prepared {
        watched: Watched::of_service(&url, facts.authorization.clone()),
        proof: Some(Box::new(layers)),
        ..Prepared::new("txn", Job::built_in(facts), target)
    };
    prepared.options.insert(BATCH_ROWS.name.into(), batch_rows.unwrap_or(LISTED).to_string());
    if !commit.is_empty() {
        prepared.options.insert(COMMIT.name.into(), commit);
    }
    Ok(prepared)
}

/// What the types with a weight need.
fn fits(facts: &Facts) -> Result<()> {
    if facts.needs_database() && facts.database.is_none() {
        return Err(refused("SQL and SQLTX insert into a database: name it with --target"));
    }
    if facts.weights[LIST] > 0.0 && facts.items.len() < LISTED {
        return Err(refused("LIST needs a resource with 100 transactions or more"));
    }
    commit::check(facts)
}

/// The definition of an application that serves the data of a database. Requests may ask for every commit class.
pub fn app_toml(database: &DatabaseAddress) -> String {
    let schema = match database {
        DatabaseAddress::Postgres(_) => "schema = \"txn\"\n",
        DatabaseAddress::Sqlite { .. } => "",
    };
    format!(
        "name = \"txn\"\nmount = \"/txn\"\n{schema}tables = \"listed\"\n[resources.transactions]\n\
         commit_allowed = [\"ingest\", \"async\", \"memory\"]\n"
    )
}

/// The resource below the mount of [`app_toml`].
pub fn resource(mount: Url) -> Url {
    Url { path: format!("{}/transactions", mount.path.trim_end_matches('/')), ..mount }
}

/// A server that also measures the parts of each write, for runs that show what they cost.
pub const TIMED: [&str; 1] = ["--server-timing"];

/// The resource, how to authenticate, and the database below it.
fn served(
    request: &Request,
    host: &mut dyn Host,
    weights: &[f64; KINDS.len()],
) -> Result<(Url, Access, Option<DatabaseAddress>)> {
    if let Some(Target::Service(url)) = &request.target {
        return Ok((url.clone(), request.access.clone(), None));
    }
    let database = request.database(host, &Entry, ROWS)?;
    if let Some(url) = &request.service {
        return Ok((url.clone(), request.access.clone(), Some(database)));
    }
    let is_split = weights[CREATE] > 0.0 && weights[SQL] > 0.0;
    let mut more: Vec<&str> = if is_split { TIMED.into() } else { Vec::new() };
    let folder = match request.given.text(&COMMIT) {
        Some(class) if JOURNALED.contains(&class) => {
            journal::prepare(&database)?;
            host.folder()?.join("journal").display().to_string()
        }
        _ => String::new(),
    };
    if !folder.is_empty() {
        more.extend(["--journal", &folder]);
    }
    let (url, access) = host.serve(&database, &app_toml(&database), &more)?;
    Ok((resource(url), access, Some(database)))
}
