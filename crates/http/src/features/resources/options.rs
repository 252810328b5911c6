//! The methods of a path of a resource: `OPTIONS`, with those of services at the same path.

use hyper::{Method, StatusCode};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::resources::search;
use crate::services::service;

/// The methods of a path of a resource: `OPTIONS`, with those of services at the same path.
pub(crate) struct Options;

impl Feature for Options {
    const NAME: &'static str = "options";

    type Plan<'r> = Box<Reply>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if *route.method == Method::OPTIONS)
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let beside = service::methods_beside(target.scope);
        let reply = match (target.admission(), beside) {
            (Ok(()), beside) => search::options(target.methods.or(beside), target.route.tail),
            (Err(_), Some(beside)) => Reply::empty(StatusCode::NO_CONTENT).allow(beside),
            (Err(refused), None) => return Err(refused),
        };
        Ok(Box::new(reply))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Ok(*plan)
    }
}
