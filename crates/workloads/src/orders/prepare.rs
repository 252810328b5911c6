//! `duet bench run orders`: options, service and server.

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Failed, cannot, refused};
use duet_model::{Code, Error, Result};
use duet_verdict::result::TargetFacts;

use super::discover::{DiscoverOptions, discover};
use super::{Facts, PRESETS};
use crate::blocking;
use crate::built_in::{Host, Request, Target};
use crate::flag::{Flag, Values};

/// The built-in application.
const APPLICATION: &str = "orders";

/// Whether types are run in order.
pub(super) const IN_ORDER: Flag = Flag {
    name: "in-order",
    placeholder: "",
    help: "Run the types one after the other, in their order, instead of at random",
    default: None,
    values: Values::Switch,
};

/// How totals are counted.
pub(super) const TOTAL_RECORDS: Flag = Flag {
    name: "total-records",
    placeholder: "HOW",
    help: "The value of totalRecords in lists; without it, none is sent",
    default: None,
    values: Values::Words(&[("auto", ""), ("exact", ""), ("estimated", ""), ("none", "")]),
};

/// The tenant.
pub(super) const TENANT: Flag = Flag {
    name: "tenant",
    placeholder: "NAME",
    help: "The tenant in the header X-Okapi-Tenant",
    default: Some("diku"),
    values: Values::Name,
};

/// Makes it ready.
///
/// # Errors
/// Where the options are wrong, the service lacks what is measured, or the server does not start.
pub(super) fn prepare(request: &Request, host: &mut dyn Host) -> Result<Prepared> {
    let mut kinds = Facts::plain_kinds();
    request.wanted.apply(&mut kinds, &PRESETS).map_err(|message| refused(&message))?;
    let (url, access, server) = served(request, host)?;
    let given = |flag: &Flag| request.given.text(flag).unwrap_or_default().to_owned();
    let wanted = DiscoverOptions {
        access: &access,
        tenant: given(&TENANT),
        total_records: given(&TOTAL_RECORDS),
        weights: kinds.iter().map(|kind| kind.weight).collect(),
        in_order: request.given.is_on(&IN_ORDER),
        timeout: request.plan.timeout,
    };
    let unfit = |failed: Failed| cannot("The service cannot be measured", &failed);
    let facts = blocking(discover(&url, wanted))?.map_err(unfit)?;
    let data = [("orders", facts.orders.len()), ("lines", facts.lines.len())];
    let target = TargetFacts {
        kind: "http".into(),
        address: url.place(),
        transport: url.transport().into(),
        server,
        data: data.map(|(name, count)| (format!("{name} searched"), count.to_string())).into(),
        ..TargetFacts::default()
    };
    let mut options = vec![(TENANT.name, facts.tenant.clone())];
    if !facts.total_records.is_empty() {
        options.push((TOTAL_RECORDS.name, facts.total_records.clone()));
    }
    if facts.in_order {
        options.push((IN_ORDER.name, "on".into()));
    }
    Ok(Prepared {
        watched: Watched::of_service(&url, facts.authorization.clone()),
        options: options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Prepared::new(APPLICATION, Job::built_in(facts), target)
    })
}

/// The URL that the collections are below, how to authenticate, and what the server is.
fn served(request: &Request, host: &mut dyn Host) -> Result<(Url, Access, String)> {
    let database = match &request.target {
        Some(Target::Service(url)) => {
            return Ok((url.clone(), request.access.clone(), "HTTP".into()));
        }
        Some(Target::Database(database)) => Some(database),
        None => None,
    };
    if let Some(url) = &request.service {
        return Ok((url.clone(), request.access.clone(), "HTTP".into()));
    }
    let (url, access) = host.serve_built_in(APPLICATION, database, scale(request)?)?;
    let on = database.map_or("its own SQLite file".into(), DatabaseAddress::address);
    Ok((url, access, format!("Duet on {on}")))
}

/// Thousands of orders, if they were given.
fn scale(request: &Request) -> Result<Option<u32>> {
    match request.scale {
        None => Ok(None),
        Some(scale) if scale.fract() == 0.0 && (1.0..=1e6).contains(&scale) => {
            Ok(Some(scale as u32))
        }
        Some(scale) => {
            let message = format!("There are no orders at scale {scale}.");
            let hint = "The scale is a whole number of thousands of orders.";
            Err(Error::new(Code::CommandLine, message).hint(hint))
        }
    }
}
