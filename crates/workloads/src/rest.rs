//! `rest` in the registry: the engine's own workload on a REST resource, or on any URL.

use std::time::Duration;

use duet_bench::observe::{METRICS, Watched};
use duet_bench::run::{Job, Prepared};
use duet_bench::secrets::without_secrets;
use duet_bench::targets::http::Url;
use duet_bench::workload::rest::{Access, DiscoverOptions, RestFacts, discover};
use duet_bench::workload::{Configured, cannot, refused};
use duet_model::{Code, Error, Result};
use duet_verdict::result::TargetFacts;

use crate::blocking;
use crate::built_in::{BuiltIn, Host, Request, Run, Target, Targets};
use crate::flag::{Flag, Values};

/// `rest` in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry;

/// The timeout of responses from a service, which fail after it.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The types by their short names, with their default weights.
const USUAL: [(&str, f64); 4] = [("GET", 1.0), ("PAGE", 0.0), ("PUT", 0.0), ("CYCLE", 0.0)];

const ITEMS: Flag = Flag {
    name: "items",
    placeholder: "N",
    help: "At most so many items are requested",
    default: Some("10000"),
    values: Values::Whole(1, u32::MAX as u64),
};

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "rest"
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "rest",
            targets: Targets::Services,
            timeout: TIMEOUT,
            example: "--target http://127.0.0.1:8080/ords/hr/team --client ID:SECRET --users 10",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[ITEMS]
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> Result<Prepared> {
        let weights = request.wanted.weights(&USUAL).map_err(|message| refused(&message))?;
        let (url, access, server) = match &request.target {
            Some(Target::Service(url)) => (url.clone(), request.access.clone(), "HTTP"),
            Some(Target::Database(_)) => {
                return Err(Error::new(
                    Code::CommandLine,
                    "The target is a database. Give a service.",
                ));
            }
            None => {
                let (url, access, server) = host.sample()?;
                let client = request.access.client.clone().or(access.client);
                (url, Access { client, ..request.access.clone() }, server)
            }
        };
        let items = request.given.whole(&ITEMS).and_then(|items| usize::try_from(items).ok());
        let wanted = DiscoverOptions {
            weights: std::array::from_fn(|place| weights.get(place).copied().unwrap_or_default()),
            items: items.unwrap_or(usize::MAX),
            timeout: request.plan.timeout,
        };
        prepared(&url, &access, request.metrics.as_deref(), &wanted, server)
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<RestFacts>(facts)?))
    }
}

/// Prepares a resource; `server` describes its server in results. Its counters are read where it is Duet, or at the
/// given path.
///
/// # Errors
/// If it cannot be read, or does not allow an operation that has a weight.
pub fn prepared(
    url: &Url,
    access: &Access, metrics: Option<&str>,
    wanted: &DiscoverOptions,
    server: &str,
) -> Result<Prepared> {
    let found = blocking(discover(url, access, wanted))?;
    let facts = found.map_err(|failed| cannot("The service cannot be measured", &failed))?;
    let target = TargetFacts {
        kind: "http".into(),
        address: without_secrets(&url.to_string()).into_owned(),
        transport: url.transport().into(),
        server: server.into(),
        data: [("items".to_owned(), facts.items.len().to_string())].into(),
        ..TargetFacts::default()
    };
    let metrics = metrics.or_else(|| facts.is_duet.then_some(METRICS));
    let watched = Watched::of_any_service(url, facts.authorization.clone(), metrics);
    Ok(Prepared { watched, ..Prepared::new("rest", Job::built_in(facts), target) })
}
