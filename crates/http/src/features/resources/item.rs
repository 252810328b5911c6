//! An item by its key; a path below a resource that is nothing else is that of an item.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::resources::read::ItemPlan;

/// An item by its key; a path below a resource that is nothing else is that of an item.
pub(crate) struct Item;

impl Feature for Item {
    const NAME: &'static str = "item";
    const OPERATIONS: &'static [&'static str] = &["get", "check"];

    type Plan<'r> = ItemPlan<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(_))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, _) = target.open()?;
        ItemPlan::of(target.scope, target.resource, target.route.tail, links)
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        plan.answer().await
    }
}
