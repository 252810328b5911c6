//! Metrics of the process.

use crate::admin::endpoints;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// Metrics of the process.
pub(crate) struct Metrics;

impl Feature for Metrics {
    const NAME: &'static str = "metrics";

    type Plan<'r> = &'r AuthenticatedRequest<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Metrics))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        Ok(target.site()?.0)
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let arrived = plan.arrived();
        let (method, query) = (arrived.request.method(), arrived.request.uri().query());
        let metrics = endpoints::metrics(&arrived.worker, plan.who(), method, query);
        Box::pin(metrics).await
    }
}
