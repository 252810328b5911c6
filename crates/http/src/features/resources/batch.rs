//! Several documents in one request: `POST …/_/batch`.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::resources::batch::BatchPlan;

/// Several documents in one request: `POST …/_/batch`.
pub(crate) struct Batch;

impl Feature for Batch {
    const NAME: &'static str = "batch";
    const OPERATIONS: &'static [&'static str] = &["batch"];

    type Plan<'r> = Box<BatchPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.is_batch())
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, _) = target.open()?;
        // Boxed: its future is much larger than those of the reads.
        Ok(Box::new(Box::pin(BatchPlan::of(target.scope, target.resource, links)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
