//! Items by their keys: `GET …/?ids=1,2`.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::media::ResponseFormat;
use crate::resources::ids::{ItemsPlan, asks_by_keys};

/// Items by their keys: `GET …/?ids=1,2`.
pub(crate) struct ItemsByKeys;

impl Feature for ItemsByKeys {
    const NAME: &'static str = "items";

    type Plan<'r> = Box<ItemsPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if route.tail.is_empty()
            && route.form == Some(ResponseFormat::Json)
            && asks_by_keys(route.query))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (links, _) = target.open()?;
        Ok(Box::new(ItemsPlan::of(target.scope, target.resource, links)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
