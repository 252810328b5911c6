//! Answers of a given size that need no store, for trials; nothing else is below `_/` but transactions.

use duet_service::Service;
use hyper::Method;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::methods::Methods;
use crate::request::routed::Place;
use crate::resources::constant::constant;

/// Answers of a given size that need no store, for trials; nothing else is below `_/` but transactions.
pub(crate) struct Constant;

impl Feature for Constant {
    const NAME: &'static str = "constant";

    type Plan<'r> = Box<Reply>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Special(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::Special(tail)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        let is_there = scope.worker.shared.options.trial_endpoints;
        let bytes = tail.strip_prefix("constant/").filter(|_| is_there);
        if let Some(refused) = scope.reject_anonymous() {
            return Err(refused);
        }
        let Some(bytes) = bytes else { return Err(Service::nothing_here().into()) };
        if !matches!(*scope.request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::method(Methods::LOOK));
        }
        scope.check_accept()?;
        Ok(Box::new(constant(bytes)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Ok(*plan)
    }
}
