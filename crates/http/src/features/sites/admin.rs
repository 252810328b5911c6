//! What operators ask and change while the process runs.

use crate::admin::endpoints;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// What operators ask and change while the process runs.
pub(crate) struct Admin;

impl Feature for Admin {
    const NAME: &'static str = "admin";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, &'r str);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Admin(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Admin(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, what) = plan;
        let arrived = authenticated.arrived();
        let (method, query) = (arrived.request.method(), arrived.request.uri().query());
        Box::pin(endpoints::admin(&arrived.worker, authenticated.who(), method, query, what)).await
    }
}
