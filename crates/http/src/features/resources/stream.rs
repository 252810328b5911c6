//! All items of a collection, line by line.

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::media::ResponseFormat;
use crate::resources::stream::StreamPlan;

/// All items of a collection, line by line.
pub(crate) struct Stream;

impl Feature for Stream {
    const NAME: &'static str = "stream";

    type Plan<'r> = Box<StreamPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if matches!(route.form, Some(ResponseFormat::Stream(_))))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let (_, (form, media)) = target.open()?;
        let ResponseFormat::Stream(format) = form else {
            return Err(Service::nothing_here().into());
        };
        Ok(Box::new(StreamPlan::by_query(target.scope, target.resource, format, media)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
