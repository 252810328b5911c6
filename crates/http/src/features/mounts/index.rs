//! What is below a mount, as far as the caller may use it.

use duet_document::Etag;
use duet_service::Service;

use super::only_read;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::resources::index;

/// What is below a mount, as far as the caller may use it.
pub(crate) struct Index;

impl Feature for Index {
    const NAME: &'static str = "index";

    type Plan<'r> = Box<Reply>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Index))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, _) = target.place()?;
        let Some(index) = index::of_mount(scope.mount, scope.who, &scope.origin.to_string()) else {
            let nothing = || Service::nothing_here().into();
            return Err(scope.reject_anonymous().unwrap_or_else(nothing));
        };
        if let Some(options) = only_read(scope)? {
            return Ok(Box::new(options));
        }
        scope.check_accept()?;
        let text = index.to_string().into_bytes();
        let etag = Etag::of("index", &text);
        let mut reply = Reply::json(text);
        reply.etag = Some(format!("\"{etag}\""));
        reply.varies = true;
        Ok(Box::new(scope.conditional(reply)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Ok(*plan)
    }
}
