//! `duet bench run lookup`: reads by random keys from a database or from a service on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use duet_bench::generate::load::{self, Options};
use duet_bench::generate::{Named, SEED};
use duet_bench::lookup::{self, Access, TABLES, Way};
use duet_bench::observe::{self, Watched};
use duet_bench::result::TargetFacts;
use duet_bench::run::Job;
use duet_db::raw::Target;
use duet_db::sqlite::Synchronous;
use duet_model::{Code, Error, Result};
use tempfile::TempDir;

use super::run::{TIMEOUT, service, split_client, weights};
use super::session::{Prepared, cannot};
use crate::args::BenchRun;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

/// Rows of each table where there is no target.
const ROWS: u32 = 10_000;

pub(super) fn prepare(arguments: &BenchRun) -> Outcome<Prepared> {
    let (way, folder) = match &arguments.target {
        Some(target) => (way(target)?, None),
        None => {
            let folder = tempfile::Builder::new().prefix("duet-bench-").tempdir();
            let folder: TempDir = folder.map_err(Error::internal)?;
            let path = folder.path().join("lookup.sqlite");
            fill(&sqlite(&path), ROWS)?;
            (Way::Sqlite(path), Some(folder))
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
    let found = lookup::discover(way, weights, &access, arguments.timeout.unwrap_or(TIMEOUT));
    let found = super::super::runtime()?.block_on(found);
    let facts = found.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let target = TargetFacts {
        kind: kind(&facts.way).into(),
        address: facts.way.address(),
        transport: facts.way.transport().into(),
        data: [("keys".to_owned(), facts.keys.to_string())].into(),
        ..TargetFacts::default()
    };
    let watched = watched(&facts)?;
    Ok(Prepared {
        workload: "lookup".into(),
        job: Job::Lookup(facts),
        target,
        checks: &lookup::CHECKS,
        options: BTreeMap::new(),
        watched,
        proof: None,
        _kept: folder.map(|folder| Box::new(folder) as _),
    })
}

/// The database, or the service's counters.
fn watched(facts: &lookup::Facts) -> Outcome<Watched> {
    if let Way::Http { mount, authorization } = &facts.way {
        let url = mount.parse().map_err(|said: String| Error::new(Code::Setting, said))?;
        return Ok(service(&url, authorization.clone()));
    }
    let target = facts.way.target();
    let target = target.map_err(|failed| cannot("The database cannot be watched", &failed))?;
    let workload = Job::Lookup(facts.clone()).workload();
    let workload = workload.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let database = target.map(|target| observe::Database {
        target,
        applications: vec!["duet bench lookup".into()],
        workload: Some(workload),
        users: 0,
    });
    Ok(Watched { database, ..Watched::default() })
}

fn kind(way: &Way) -> &'static str {
    match way {
        Way::Postgres(_) => "postgres",
        Way::Sqlite(_) | Way::Memory(_) => "sqlite",
        Way::Http { .. } => "http",
    }
}

/// The way that a target means: the URL of a table of a service, or a database.
fn way(target: &str) -> Result<Way> {
    let is_service = ["http://", "https://", "http+unix://", "unix:"]
        .iter()
        .any(|scheme| target.starts_with(scheme));
    if is_service {
        return Ok(Way::Http { mount: target.to_owned(), authorization: None });
    }
    match DatabaseUrl::read(target, Path::new(""))? {
        DatabaseUrl::Postgres(url) => Ok(Way::Postgres(url)),
        DatabaseUrl::Sqlite(path) if path.exists() => Ok(Way::Sqlite(path)),
        DatabaseUrl::Sqlite(path) => {
            let message = format!("There is no database {}.", path.display());
            let hint = format!("`duet load lookup --database {}` makes it.", path.display());
            Err(Error::new(Code::Setting, message).hint(hint))
        }
    }
}

/// A SQLite file.
pub(super) fn sqlite(path: &Path) -> Target {
    Target::Sqlite { path: PathBuf::from(path), synchronous: Synchronous::Normal }
}

/// Makes the four tables with so many rows each.
///
/// # Errors
/// Where the database refuses.
pub(super) fn fill(target: &Target, rows: u32) -> Result<()> {
    let set = Named::Lookup.make(f64::from(rows), SEED, false);
    let options = Options { threads: Options::usual_threads(), replace: false };
    let loaded = load::load(target, Named::Lookup, &set, options, &|_| ());
    loaded.map(drop).map_err(|error| {
        let cause = match &error {
            load::LoadError::Database(failure) => failure.said.clone(),
            other => other.to_string(),
        };
        Error::new(Code::Setting, "The tables could not be made.").cause(cause)
    })
}
