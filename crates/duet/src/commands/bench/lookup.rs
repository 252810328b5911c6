//! `duet bench run lookup`: reads by random keys from a database or from a service on it.

use std::collections::BTreeMap;
use std::path::Path;

use duet_bench::observe::{self, Watched};
use duet_bench::run::Job;
use duet_model::{Code, Error};
use duet_verdict::result::TargetFacts;
use duet_workloads::lookup::{self, Access, Endpoint, TABLES};

use super::run::{TIMEOUT, is_service, service, service_url, split_client, weights};
use super::session::{Prepared, cannot};
use super::sql_target::{fill, sqlite};
use super::undo::Folder;
use crate::args::BenchRun;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

/// Rows of each table where there is no target.
const ROWS: f64 = 10_000.0;

pub(super) fn prepare(arguments: &BenchRun) -> Outcome<Prepared> {
    let (endpoint, folder) = match &arguments.target {
        Some(target) => (endpoint(arguments, target)?, None),
        None => {
            let folder = Folder::new()?;
            let path = folder.path().join("lookup.sqlite");
            fill(&sqlite(&path), &lookup::Entry, ROWS)?;
            (Endpoint::Sqlite(path), Some(folder))
        }
    };
    let named = [&arguments.disable, &arguments.enable];
    let asked = !arguments.mix.is_empty()
        || arguments.preset.is_some()
        || named.iter().any(|names| !names.is_empty());
    let weights = match asked {
        true => Some(weights(arguments, TABLES, [1.0, 0.0, 0.0, 0.0])?),
        false => None,
    };
    let client = arguments.client.as_deref().map(split_client).transpose()?;
    let access =
        Access { token: arguments.token.clone(), client, token_path: arguments.token_path.clone() };
    let found = lookup::discover(endpoint, weights, &access, arguments.timeout.unwrap_or(TIMEOUT));
    let found = super::super::runtime()?.block_on(found);
    let facts = found.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let target = TargetFacts {
        kind: kind(&facts.endpoint).into(),
        address: facts.endpoint.address(),
        transport: facts.endpoint.transport().into(),
        data: [("keys".to_owned(), facts.keys.to_string())].into(),
        ..TargetFacts::default()
    };
    let watched = watched(&facts)?;
    Ok(Prepared {
        workload: "lookup".into(),
        job: Job::built_in(facts),
        target,
        options: BTreeMap::new(),
        watched,
        proof: None,
        _kept: folder.map(|folder| Box::new(folder) as _),
    })
}

/// The database, or the service's counters.
fn watched(facts: &lookup::Facts) -> Outcome<Watched> {
    if let Endpoint::Http { mount, authorization } = &facts.endpoint {
        let url = mount.parse().map_err(|said: String| Error::new(Code::Setting, said))?;
        return Ok(service(&url, authorization.clone()));
    }
    let target = facts.endpoint.target();
    let target = target.map_err(|failed| cannot("The database cannot be watched", &failed))?;
    let workload = Job::built_in(facts.clone()).workload();
    let workload = workload.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let database = target.map(|target| observe::Database {
        target,
        applications: vec![duet_bench::targets::sql::SESSION.into()],
        workload: Some(workload),
        users: 0,
    });
    Ok(Watched { database, ..Watched::default() })
}

fn kind(endpoint: &Endpoint) -> &'static str {
    match endpoint {
        Endpoint::Postgres(_) => "postgres",
        Endpoint::Sqlite(_) | Endpoint::Memory(_) => "sqlite",
        Endpoint::Http { .. } => "http",
    }
}

/// The way that a target means: the URL of a table of a service, or a database.
fn endpoint(arguments: &BenchRun, target: &str) -> Outcome<Endpoint> {
    if is_service(target) {
        let mount = service_url(arguments, target)?.to_string();
        return Ok(Endpoint::Http { mount, authorization: None });
    }
    Ok(match DatabaseUrl::read(target, Path::new(""))? {
        DatabaseUrl::Postgres(url) => Endpoint::Postgres(url),
        DatabaseUrl::Sqlite(path) if path.exists() => Endpoint::Sqlite(path),
        DatabaseUrl::Sqlite(path) => {
            let message = format!("There is no database {}.", path.display());
            let hint = format!("`duet load lookup --database {}` makes it.", path.display());
            return Err(Error::new(Code::Setting, message).hint(hint).into());
        }
    })
}
