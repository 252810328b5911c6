//! A request's place among those of its tenant, with the hold on that tenant's service.

use std::rc::Rc;
use std::sync::Arc;

use duet_auth::{Open, Principal};
use duet_model::{Code, Error, Result};
use duet_service::definition::TenantChoice;
use duet_service::tenants::{self, Tenant, TenantTurn, Tenants};
use duet_service::{Auth, WorkerHandle};
use hyper::HeaderMap;

use super::principal::now;
use crate::answer::refusal::{Refusal, refusal};
use crate::message::tenant_header::{header, named};

/// A request's tenant, until it is answered.
#[derive(Debug)]
pub(crate) struct TenantSeat {
    /// The hold on its service.
    pub(crate) reader: Rc<WorkerHandle>,
    turn: TenantTurn,
}

impl TenantSeat {
    /// The tenant.
    pub(crate) fn tenant(&self) -> &Arc<Tenant> {
        self.turn.tenant()
    }
}

/// The place of a request among those of its tenant; `attach` gives the worker's hold on its service.
///
/// # Errors
/// Where the request names no tenant or one that it may not reach, and where the tenant has as many requests as it
/// may have or cannot be opened.
pub(crate) async fn seat(
    tenants: &Tenants,
    headers: &HeaderMap,
    who: &Principal,
    auth: &Auth,
    attach: impl FnOnce(&Arc<Tenant>) -> Result<Rc<WorkerHandle>>,
) -> Result<TenantSeat, Refusal> {
    let choice = tenants.choice();
    let name = named(choice, who.tenant(), header(headers)?)
        .map_err(|error| without_token(error, choice, who, auth))?;
    let tenant = match tenants.find(&name) {
        Some(tenant) => tenant,
        // Boxed, as it is rare and its future large.
        None => Box::pin(tenants.open(&name)).await.map_err(|error| hidden(error, who, auth))?,
    };
    let turn = tenant.enter(now())?;
    let reader = attach(&tenant)?;
    Ok(TenantSeat { reader, turn })
}

/// Checks that requests of a client may be for the tenant that these headers name, and that there is one.
///
/// # Errors
/// As requests for the application.
pub(crate) async fn exists(
    tenants: &Tenants,
    headers: &HeaderMap,
    who: &Principal,
) -> Result<(), Refusal> {
    let name = named(tenants.choice(), who.tenant(), header(headers)?)?;
    if tenants.find(&name).is_none() {
        Box::pin(tenants.open(&name)).await?;
    }
    Ok(())
}

/// The refusal of a request for a tenant that was removed, where a failure of its database shows that it was.
pub(crate) async fn removed(
    tenants: &Tenants,
    seat: &TenantSeat,
    who: &Principal,
    auth: &Auth,
) -> Option<Refusal> {
    let is_removed = tenants.is_removed(seat.tenant()).await;
    is_removed.then(|| hidden(tenants::unknown(), who, auth))
}

/// Where tokens alone name tenants, who has none lacks a token and not a tenant.
fn without_token(error: Error, choice: TenantChoice, who: &Principal, auth: &Auth) -> Refusal {
    let is_stranger = who.is_anonymous() && auth.open() == Open::No;
    let challenge = refusal(duet_auth::Decision::Unauthorized);
    challenge
        .filter(|_| is_stranger && choice == TenantChoice::Token)
        .unwrap_or_else(|| error.into())
}

/// Strangers do not learn which tenants there are.
fn hidden(error: Error, who: &Principal, auth: &Auth) -> Refusal {
    let is_stranger = who.is_anonymous() && auth.open() == Open::No;
    match error.code {
        Code::TenantUnknown if is_stranger => {
            refusal(duet_auth::Decision::Unauthorized).unwrap_or_else(|| error.into())
        }
        _ => error.into(),
    }
}
