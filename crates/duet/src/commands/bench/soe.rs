//! `duet bench run soe-client|soe-server|soe-rest|soe-rest-client`: order entry.

use duet_bench::observe::{self, Watched};
use duet_bench::run::{Job, Merged};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::Database;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Failed, Wanted};
use duet_db::raw::Connection;
use duet_verdict::result::Invariant;
use duet_workloads::soe::{
    Facts, Made, Options, Side, Snapshot, after, before, discover, new_orders, prepare_functions,
};

use super::run::{TIMEOUT, service_url, split_client};
use super::served::{Served, wrong};
use super::session::{Prepared, Proof, cannot};
use super::sql_target::SqlTarget;
use crate::args::BenchRun;
use crate::report::Outcome;

/// The scale of the data that are made where there is no target.
const SCALE: f64 = 0.01;

pub(super) fn prepare(arguments: &BenchRun, side: Side) -> Outcome<Prepared> {
    let scale = arguments.scale.unwrap_or(SCALE);
    let target = SqlTarget::open(arguments.target.as_deref(), &duet_workloads::soe::Entry, scale)?;
    let mut options = Options::of(side);
    options.wanted = Wanted {
        preset: arguments.preset.clone(),
        mix: arguments.mix.clone(),
        enable: arguments.enable.clone(),
        disable: arguments.disable.clone(),
    };
    options.compat = arguments.compat.is_some();
    options.retries = arguments.retries;
    options.timeout = arguments.timeout.unwrap_or(TIMEOUT);
    options.service = service(arguments)?;
    // SQLite has no functions to serve; that is reported below.
    let can_serve = !side.has_functions() || matches!(target.database, Database::Postgres(_));
    if side.has_service() && options.service.is_none() && can_serve {
        let served = serve(&target.database, side)?;
        options.service = Some(access(&served)?);
        let mut prepared = prepared(target, &options)?;
        let kept = prepared._kept.take();
        // The server ends before its database goes.
        prepared._kept = Some(Box::new((served, kept)));
        return Ok(prepared);
    }
    prepared(target, &options)
}

/// A server of ours on the database of a run; as sparing with the disk as SQL on it.
///
/// # Errors
/// Where it does not start.
pub(super) fn serve(database: &Database, side: Side) -> Outcome<Served> {
    const NAMES: &str = "name = \"soe\"\nmount = \"/soe\"\n";
    match database {
        Database::Postgres(url) => {
            if side.has_functions() {
                let made = super::super::runtime()?.block_on(prepare_functions(database));
                made.map_err(|failed| cannot("The functions cannot be made", &failed))?;
            }
            let more = "schema = \"soe\"\n[resources.logon]\nkey = [\"logon_id\"]\n";
            Ok(Served::start(url, &format!("{NAMES}{more}"), &[])?)
        }
        Database::Sqlite { path, synchronous } => {
            let name = format!("sqlite:{}", path.display());
            Ok(Served::start(&name, NAMES, &["--sqlite-synchronous", synchronous])?)
        }
    }
}

/// The way to a server of ours: a socket of this machine, as to the database.
///
/// # Errors
/// None that would not be a fault of ours.
pub(super) fn access(served: &Served) -> Outcome<(Url, Access)> {
    Ok((served.mount("unix").parse().map_err(wrong)?, served.access()))
}

/// Order entry on a database that has its data.
///
/// # Errors
/// Where the options are wrong, or the data are not there.
pub(super) fn prepared(target: SqlTarget, options: &Options) -> Outcome<Prepared> {
    let side = options.side;
    let found = super::super::runtime()?.block_on(discover(&target.database, options));
    let facts = found.map_err(|failed| cannot("Order entry cannot run", &failed))?;
    let job = Job::built_in(facts.clone());
    let workload = job.workload().map_err(|failed| cannot("Order entry cannot run", &failed))?;
    let database = observe::Database {
        target: facts.database.target().map_err(|failed| cannot("The database", &failed))?,
        applications: vec![duet_bench::targets::sql::SESSION.into()],
        workload: (!side.has_service()).then_some(workload),
        users: 0,
    };
    let mut target_facts = target.facts();
    let mut watched = Watched::default();
    if let (Some((url, _)), Some(found)) = (&options.service, &facts.service) {
        watched = super::run::service(url, found.authorization.clone());
        target_facts.transport = url.transport().into();
        target_facts.address = format!("{}, on {}", url.place(), target_facts.address);
    }
    watched.database = Some(database);
    Ok(Prepared {
        workload: facts.workload().into(),
        job,
        target: target_facts,
        options: facts.options(),
        watched,
        proof: Some(Box::new(OrderProof { facts, before: None, made: Made::default() })),
        _kept: target.folder.map(|folder| Box::new(folder) as _),
    })
}

fn service(arguments: &BenchRun) -> Outcome<Option<(Url, Access)>> {
    let Some(service) = &arguments.service else { return Ok(None) };
    let url = service_url(arguments, service)?;
    let client = arguments.client.as_deref().map(split_client).transpose()?;
    let access =
        Access { token: arguments.token.clone(), client, token_path: arguments.token_path.clone() };
    Ok(Some((url, access)))
}

/// What must be true of the data after the run.
struct OrderProof {
    facts: Facts,
    before: Option<Snapshot>,
    made: Made,
}

impl OrderProof {
    fn connected<T>(
        &self,
        ask: impl AsyncFnOnce(&mut Connection) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let target = self.facts.database.target()?;
        let runtime = super::super::runtime();
        let runtime = runtime.map_err(|error| Failed::check(error.to_string()))?;
        runtime.block_on(async {
            let mut connection = Connection::open(&target, "duet bench proof").await?;
            ask(&mut connection).await
        })
    }
}

impl Proof for OrderProof {
    fn before(&mut self) -> Result<(), Failed> {
        // A series has many runs with one proof, and each is compared with its own work.
        self.made = Made::default();
        self.before = Some(self.connected(before)?);
        Ok(())
    }

    fn second(&mut self, merged: &Merged) {
        self.made.add(merged);
    }

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        let Some(before) = &self.before else { return Ok(Vec::new()) };
        if shared {
            return self.connected(async |connection| new_orders(connection, before).await);
        }
        self.connected(async |connection| after(connection, before, &self.made, &self.facts).await)
    }
}
