//! `duet explain`: the plan and the SQL of a request, from the code that would run it.

use duet_auth::{Open, State};
use duet_service::{Auth, Service};

use super::sources::applications::{self, Asked};
use super::sources::database;
use super::tenants::place::of_tenant;
use crate::args;
use crate::report::{Outcome, print};
use crate::runtime::now;

pub(super) fn run(arguments: &args::Explain) -> Outcome {
    let sources = arguments.source.as_slice();
    let asked = Asked { sources, named: &arguments.named, database: None };
    let mut served = applications::resolve(&asked, &arguments.settings, None)?;
    let Some(resolved) = served.applications.pop() else { return Ok(()) };
    let resolved = of_tenant(resolved, arguments.tenant.as_ref())?;
    let explained = crate::runtime::runtime()?.block_on(explain(arguments, resolved))?;
    print(&explained)
}

async fn explain(
    arguments: &args::Explain,
    resolved: applications::Resolved,
) -> duet_model::Result<String> {
    let store = database::open(&resolved.database, &resolved.settings).await?;
    let auth = Auth::in_memory(&State::new(now())?, Open::No);
    let service = Service::open(store, resolved.definition, auth).await?;
    service.explain(&arguments.method.to_uppercase(), &arguments.url)
}
