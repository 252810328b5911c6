//! `duet bench run soe-client|soe-server|soe-rest|soe-rest-client`: options, target and server of order entry.

use duet_bench::observe::{self, Watched};
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{WorkloadFacts as _, cannot};
use duet_model::Result;

use super::proof::OrderProof;
use super::{Entry, SoeOptions, Side, discover, prepare_functions};
use crate::blocking;
use crate::built_in::{Host, Request};
use crate::flag::{Flag, Values};

/// The default scale of the data without a target.
const SCALE: f64 = 0.01;

pub(super) const COMPAT: Flag = Flag {
    name: "compat",
    placeholder: "TOOL",
    help: "Keep the quirks of the tool that this workload comes from",
    default: None,
    values: Values::Words(&[("swingbench", "")]),
};

pub(super) const RETRIES: Flag = Flag {
    name: "retries",
    placeholder: "N",
    help: "How often a transaction is retried that a deadlock or a conflict rolled back",
    default: Some("3"),
    values: Values::Whole(0, u32::MAX as u64),
};

/// Prepares a run.
///
/// # Errors
/// If the options are wrong, the data do not exist, or the server does not start.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let side = Side::of(request.run);
    let database = request.database(host, &Entry, SCALE)?;
    let mut options = SoeOptions::of(side);
    options.wanted = request.wanted.clone();
    options.compat = request.given.has(&COMPAT);
    let retries = request.given.whole(&RETRIES).and_then(|retries| u32::try_from(retries).ok());
    options.retries = retries.unwrap_or(options.retries);
    options.timeout = request.plan.timeout;
    options.service = request.service.clone().map(|url| (url, request.access.clone()));
    // SQLite has no functions to serve; that is reported below.
    let can_serve = !side.has_functions() || matches!(database, DatabaseAddress::Postgres(_));
    if side.has_service() && options.service.is_none() && can_serve {
        options.service = Some(serve(&database, side, host)?);
    }
    prepared(&database, &options)
}

/// A Duet server on the database of a run.
fn serve(database: &DatabaseAddress, side: Side, host: &mut dyn Host) -> Result<(Url, Access)> {
    const NAMES: &str = "name = \"soe\"\nmount = \"/soe\"\n";
    if matches!(database, DatabaseAddress::Sqlite { .. }) {
        return host.serve(database, NAMES, &[]);
    }
    if side.has_functions() {
        let made = blocking(prepare_functions(database))?;
        made.map_err(|failed| cannot("The functions cannot be created", &failed))?;
    }
    let more = "schema = \"soe\"\n[resources.logon]\nkey = [\"logon_id\"]\n";
    host.serve(database, &format!("{NAMES}{more}"), &[])
}

fn prepared(database: &DatabaseAddress, options: &SoeOptions) -> Result<Prepared> {
    let side = options.side;
    let unfit = |failed| cannot("Order entry cannot run", &failed);
    let facts = blocking(discover(database, options))?.map_err(unfit)?;
    let workload = facts.workload().map_err(unfit)?;
    let mut target = database.facts();
    let mut watched = Watched::default();
    if let (Some((url, _)), Some(found)) = (&options.service, &facts.service) {
        watched = Watched::of_service(url, found.authorization.clone());
        target.transport = url.transport().into();
        target.address = format!("{}, on {}", url.place(), target.address);
    }
    let of_sessions = (!side.has_service()).then_some(workload);
    watched.database = Some(observe::ObservedDatabase::of(database, of_sessions).map_err(unfit)?);
    Ok(Prepared {
        options: facts.options(),
        watched,
        proof: Some(Box::new(OrderProof::new(facts.clone()))),
        ..Prepared::new(side.run_name(), Job::built_in(facts), target)
    })
}
