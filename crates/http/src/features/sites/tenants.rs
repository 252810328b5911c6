//! The tenant API.

use crate::admin::tenant_api;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// The tenant API.
pub(crate) struct Tenants;

impl Feature for Tenants {
    const NAME: &'static str = "tenants";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, &'r str);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Tenants(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Tenants(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, rest) = plan;
        Box::pin(tenant_api::answer(authenticated.arrived(), authenticated.who(), rest)).await
    }
}
