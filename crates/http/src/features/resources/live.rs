//! Live changes of a collection or an item.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::media::ResponseFormat;
use crate::resources::live::LivePlan;

/// Live changes of a collection or an item.
pub(crate) struct Live;

impl Feature for Live {
    const NAME: &'static str = "live";

    type Plan<'r> = Box<LivePlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route)
            if !route.by_body && route.form == Some(ResponseFormat::Live))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        target.open()?;
        let (scope, resource) = (target.scope, target.resource);
        let plan = match target.route.tail {
            "" => LivePlan::by_query(scope, resource)?,
            key => LivePlan::of_item(scope, resource, key)?,
        };
        Ok(Box::new(plan))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
