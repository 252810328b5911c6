//! A page of a collection, as an object or as the array of its items.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::media::ResponseFormat;
use crate::resources::read::PagePlan;

/// A page of a collection, as an object or as the array of its items.
pub(crate) struct Page;

impl Feature for Page {
    const NAME: &'static str = "page";
    const OPERATIONS: &'static [&'static str] = &["list", "probe"];

    type Plan<'r> = PagePlan<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.tail.is_empty())
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, (form, _)) = target.open()?;
        let plan = PagePlan::of(target.scope, target.resource, links)?;
        match form {
            ResponseFormat::Rows => plan.bare(),
            ResponseFormat::Json | ResponseFormat::Stream(_) | ResponseFormat::Live => Ok(plan),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        plan.answer().await
    }
}
