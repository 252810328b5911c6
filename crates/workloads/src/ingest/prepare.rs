//! `duet bench run ingest`: options, resource and server.

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::{Access, authorize};
use duet_bench::workload::{Failed, cannot, refused};
use duet_model::Result;
use duet_verdict::result::TargetFacts;

use super::drain::Drain;
use super::{Facts, KINDS, PRESETS};
use crate::built_in::{Host, Request, Target};
use crate::flag::{Flag, Values};
use crate::{blocking, journal, txn};

/// Rows of the data that are made where there is no target.
const ROWS: f64 = 10_000.0;
/// The durability of SQLite: the other path waits for the disk too.
const SYNCHRONOUS: &str = "full";

/// The rows of a batch.
pub const INGEST_ROWS: Flag = Flag {
    name: "ingest-rows",
    placeholder: "N",
    help: "Rows of a batch, by INGEST and by COPY",
    default: Some("1000"),
    values: Values::Whole(1, 50_000),
};

/// Makes it ready.
///
/// # Errors
/// Where the options are wrong, the service gives no token, or the server does not start.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let mut kinds = Facts::plain_kinds();
    request.wanted.apply(&mut kinds, &PRESETS).map_err(|message| refused(&message))?;
    let weights: [f64; KINDS.len()] =
        std::array::from_fn(|place| kinds.get(place).map_or(0.0, |kind| kind.weight));
    let (url, access, database) = served(request, host)?;
    let unfit = |failed: Failed| cannot("The service cannot be measured", &failed);
    let authorization = blocking(authorize(&url, &access, request.plan.timeout))?.map_err(unfit)?;
    let rows = request.given.whole(&INGEST_ROWS).and_then(|rows| usize::try_from(rows).ok());
    let facts = Facts {
        url: url.to_string(),
        authorization,
        database,
        weights,
        rows: rows.unwrap_or(1),
        run: Facts::new_run(),
        timeout: request.plan.timeout,
    };
    if facts.needs_database() && facts.database.is_none() {
        return Err(refused("COPY writes into a database: name it with --target"));
    }
    let on = facts.database.as_ref().map(DatabaseAddress::address);
    let target = TargetFacts {
        kind: "http".into(),
        address: url.place(),
        transport: url.transport().into(),
        server: on.map_or("HTTP".into(), |on| format!("HTTP, on {on}")),
        ..TargetFacts::default()
    };
    let drain = Drain::new(url.clone(), facts.clone(), request.plan.phases.measured());
    let mut prepared = Prepared {
        watched: Watched::of_service(&url, facts.authorization.clone()),
        proof: Some(Box::new(drain)),
        ..Prepared::new("ingest", Job::built_in(facts.clone()), target)
    };
    prepared.options.insert(INGEST_ROWS.name.into(), facts.rows.to_string());
    Ok(prepared)
}

/// The resource, how to authenticate, and the database below it.
fn served(request: &Request, host: &mut dyn Host) -> Result<(Url, Access, Option<DatabaseAddress>)> {
    if let Some(Target::Service(url)) = &request.target {
        return Ok((url.clone(), request.access.clone(), None));
    }
    let database = synced(request.database(host, &txn::Entry, ROWS)?);
    if let Some(url) = &request.service {
        return Ok((url.clone(), request.access.clone(), Some(database)));
    }
    journal::prepare(&database)?;
    let folder = host.folder()?.join("journal").display().to_string();
    let application = txn::app_toml(&database);
    let (url, access) = host.serve(&database, &application, &["--journal", &folder])?;
    Ok((txn::resource(url), access, Some(database)))
}

/// The database, whose commits wait for the disk.
fn synced(database: DatabaseAddress) -> DatabaseAddress {
    match database {
        DatabaseAddress::Sqlite { path, .. } => DatabaseAddress::Sqlite { path, synchronous: SYNCHRONOUS.into() },
        other => other,
    }
}
