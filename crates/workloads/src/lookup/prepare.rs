//! `duet bench run lookup`: reads by random keys from a database or from a service on it.

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::sql::Database;
use duet_bench::workload::{Facts as _, Wanted, cannot, refused};
use duet_model::Result;
use duet_verdict::result::TargetFacts;

use super::{Endpoint, Entry, Facts, TABLES, discover};
use crate::blocking;
use crate::built_in::{Host, Request, Target};

/// Rows of each table where there is no target.
const ROWS: f64 = 10_000.0;

/// Makes it ready.
///
/// # Errors
/// Where the tables cannot be read, or there is no type of these names.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let weights = weights(&request.wanted).map_err(|said| refused(&said))?;
    let endpoint = match &request.target {
        Some(Target::Service(url)) => {
            Endpoint::Http { mount: url.to_string(), authorization: None }
        }
        _ => match request.database(host, &Entry, ROWS)? {
            Database::Postgres(url) => Endpoint::Postgres(url),
            Database::Sqlite { path, .. } => Endpoint::Sqlite(path),
        },
    };
    let found = discover(endpoint, weights, &request.access, request.plan.timeout);
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
    Ok(Prepared { watched, ..Prepared::new("lookup", Job::built_in(facts), target) })
}

/// Weights of the tables, where any are asked for.
fn weights(wanted: &Wanted) -> std::result::Result<Option<[f64; TABLES.len()]>, String> {
    if *wanted == Wanted::default() {
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
    let cannot = |failed| cannot("The target cannot be watched", &failed);
    match &facts.endpoint {
        Endpoint::Http { mount, authorization } => {
            let url = mount.parse().map_err(|said: String| refused(&said))?;
            Ok(Watched::of_service(&url, authorization.clone()))
        }
        endpoint => match endpoint.database() {
            Some(database) => {
                let workload = facts.workload().map_err(cannot)?;
                Watched::of_database(&database, workload).map_err(cannot)
            }
            None => Ok(Watched::default()),
        },
    }
}
