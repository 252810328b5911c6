//! The events of a view with `NOTIFY`: `GET …/_/events`.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::media::ResponseFormat;
use crate::message::subpath::is_events;
use crate::resources::view_events::ViewEventsPlan;

/// The events of a view with `NOTIFY`: `GET …/_/events`.
pub(crate) struct ViewEvents;

impl Feature for ViewEvents {
    const NAME: &'static str = "view_events";
    const OPERATIONS: &'static [&'static str] = &["events"];

    type Plan<'r> = Box<ViewEventsPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if is_events(route.tail))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let live = target.route.form == Some(ResponseFormat::Live);
        Ok(Box::new(ViewEventsPlan::of(target.scope, target.resource, live)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
