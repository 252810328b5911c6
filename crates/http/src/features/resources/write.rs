//! Writes of one document, of an array, and of all that a filter selects.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::resources::write::WritePlan;

/// Writes of one document, of an array, and of all that a filter selects.
pub(crate) struct Write;

impl Feature for Write {
    const NAME: &'static str = "write";
    const OPERATIONS: &'static [&'static str] =
        &["create", "change", "remove", "replace", "patch", "delete"];

    type Plan<'r> = Box<WritePlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.writes)
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, _) = target.open()?;
        let (resource, tail) = (target.resource, target.route.tail);
        Ok(Box::new(Box::pin(WritePlan::of(target.scope, resource, tail, links)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
