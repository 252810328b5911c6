//! Whether the process lives and is ready.

use crate::admin::endpoints;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// Whether the process lives and is ready.
pub(crate) struct Health;

impl Feature for Health {
    const NAME: &'static str = "health";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, &'r str);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Health(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Health(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, what) = plan;
        let arrived = authenticated.arrived();
        endpoints::health(&arrived.worker, arrived.request.method(), what)
    }
}
