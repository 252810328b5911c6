//! Pages and streams that a body asks for: `POST …/search`, and the method QUERY.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::resources::search::SearchPlan;

/// Pages and streams that a body asks for: `POST …/search`, and the method QUERY.
pub(crate) struct Search;

impl Feature for Search {
    const NAME: &'static str = "search";
    const OPERATIONS: &'static [&'static str] = &["search"];

    type Plan<'r> = Box<SearchPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.by_body)
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, (form, media)) = target.open()?;
        let plan = SearchPlan::of(target.scope, target.resource, links, form, media);
        Ok(Box::new(Box::pin(plan).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
