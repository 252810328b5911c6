//! A list of documents of a collection, written in one transaction.

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::resources::list_write::ListWritePlan;

/// A list of documents of a collection, written in one transaction.
pub(crate) struct ListWrite;

impl Feature for ListWrite {
    const NAME: &'static str = "list_write";
    const OPERATIONS: &'static [&'static str] = &[];

    type Plan<'r> = Box<ListWritePlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::ListWrite(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::ListWrite(resource)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        Ok(Box::new(Box::pin(ListWritePlan::of(scope, resource)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
