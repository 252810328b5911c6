//! Bulk loads: `POST …/batchload`.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::request_timeout;
use crate::resources::batchload::LoadPlan;

/// Bulk loads: `POST …/batchload`.
pub(crate) struct Load;

impl Feature for Load {
    const NAME: &'static str = "load";
    const OPERATIONS: &'static [&'static str] = &["load"];

    type Plan<'r> = Box<LoadPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.is_load())
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        target.admit()?;
        let scope = target.scope;
        scope.reject_key()?;
        request_timeout::reject(scope.request.headers())?;
        scope.trace().is_a_load();
        Ok(Box::new(LoadPlan::of(scope, target.resource, target.route.tail)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
