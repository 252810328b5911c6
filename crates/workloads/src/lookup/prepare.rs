//! `duet bench run lookup`: reads by random keys from a database or from a service on it.

use duet_bench::observe::{ObservedDatabase as Watch, Watched};
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{WorkloadFacts as _, MixOptions, cannot, refused};
use duet_model::Result;
use duet_verdict::result::TargetFacts;

use super::{Endpoint, Entry, Facts, SERVED_ALONE, TABLES, app_toml, discover};
use crate::blocking;
use crate::built_in::{Host, Request, Target};
use crate::flag::{Flag, Values};

/// Rows of each table, if there is no target.
const ROWS: f64 = 10_000.0;

/// The access paths to a database.
pub(super) const VIA: Flag = Flag {
    name: "via",
    placeholder: "PATH",
    help: "How the tables of a database are read; t4 has a rowstore in a service and in process",
    default: Some("driver"),
    values: Values::Words(&[
        ("driver", "A prepared statement for each read, by the database's protocol"),
        ("loop", "A function inside PostgreSQL, which reads 1,000 keys in each call"),
        ("service", "A Duet server of the run's own, over a Unix socket"),
        ("process", "Duet in the load generator's process, without HTTP and tokens"),
    ]),
};

/// Prepares a run.
///
/// # Errors
/// If the tables cannot be read, or there is no type of these names.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let weights = weights(&request.wanted).map_err(|message| refused(&message))?;
    let endpoint = match &request.target {
        Some(Target::Service(_)) if request.given.has(&VIA) => {
            return Err(refused("--via is for databases: the target is a service already"));
        }
        Some(Target::Service(url)) => {
            Endpoint::Http { mount: url.to_string(), authorization: None }
        }
        _ => by_path(request, host)?,
    };
    let access = match &endpoint {
        Endpoint::Http { authorization: Some(value), .. } => {
            let token = value.strip_prefix("Bearer ").map(str::to_owned);
            Access { token, ..Access::default() }
        }
        _ => request.access.clone(),
    };
    let found = discover(endpoint, weights, &access, request.plan.timeout);
    let facts = blocking(found)?;
    let facts = facts.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let target = TargetFacts {
        kind: facts.endpoint.kind().into(),
        address: facts.endpoint.address(),
        transport: facts.endpoint.transport().into(),
        data: [("keys".to_owned(), facts.keys.to_string())].into(),
        ..TargetFacts::default()
    };
    let watched = watched(&facts)?;
    let mut prepared =
        Prepared { watched, ..Prepared::new("lookup", Job::built_in(facts), target) };
    if let Some(path) = request.given.text(&VIA).filter(|_| request.given.has(&VIA)) {
        prepared.options.insert(VIA.name.into(), path.into());
    }
    Ok(prepared)
}

/// The endpoint of a database for the requested access path.
fn by_path(request: &Request, host: &mut dyn Host) -> Result<Endpoint> {
    let database = request.database(host, &Entry, ROWS)?;
    Ok(match (request.given.text(&VIA), database) {
        (Some("service"), database) => {
            let (url, access) = host.serve(&database, &app_toml(&database), &SERVED_ALONE)?;
            let authorization = access.token.map(|token| format!("Bearer {token}"));
            // A URL names a table; its siblings are used too.
            let url = Url { path: format!("{}/t1", url.path), ..url };
            Endpoint::Http { mount: url.to_string(), authorization }
        }
        (Some("process"), database) => Endpoint::Process(database),
        (Some("loop"), DatabaseAddress::Postgres(url)) => Endpoint::Loop(url),
        (Some("loop"), DatabaseAddress::Sqlite { .. }) => {
            return Err(refused(
                "--via loop is for PostgreSQL: SQLite runs in this process already",
            ));
        }
        (_, DatabaseAddress::Postgres(url)) => Endpoint::Postgres(url),
        (_, DatabaseAddress::Sqlite { path, .. }) => Endpoint::Sqlite(path),
    })
}

/// Weights of the tables, if any were given.
fn weights(wanted: &MixOptions) -> std::result::Result<Option<[f64; TABLES.len()]>, String> {
    if *wanted == MixOptions::default() {
        return Ok(None);
    }
    let usual = std::array::from_fn::<_, { TABLES.len() }, _>(|place| {
        (TABLES[place], if place == 0 { 1.0 } else { 0.0 })
    });
    let weights = wanted.weights(&usual)?;
    Ok(Some(std::array::from_fn(|place| weights.get(place).copied().unwrap_or_default())))
}

/// The database, or the service's counters.
fn watched(facts: &Facts) -> Result<Watched> {
    let cannot = |failed| cannot("The target cannot be observed", &failed);
    match &facts.endpoint {
        Endpoint::Http { mount, authorization } => {
            let url = mount.parse().map_err(|message: String| refused(&message))?;
            Ok(Watched::of_service(&url, authorization.clone()))
        }
        // Duet reads in batches and from memory: the database's counts differ from the run's.
        Endpoint::Process(database) => Ok(Watched {
            database: Some(Watch::of(database, None).map_err(cannot)?),
            ..Watched::default()
        }),
        endpoint => match endpoint.database() {
            Some(database) => {
                let workload = facts.workload().map_err(cannot)?;
                Watched::of_database(&database, workload).map_err(cannot)
            }
            None => Ok(Watched::default()),
        },
    }
}
