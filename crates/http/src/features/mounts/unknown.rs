//! Names that nothing is served under: the error names the nearest one.

use std::convert::Infallible;

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;

/// Names that nothing is served under: the error names the nearest one.
pub(crate) struct UnknownName;

impl Feature for UnknownName {
    const NAME: &'static str = "unknown";

    type Plan<'r> = Infallible;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Unknown(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::Unknown(unknown)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        let (name, error) = &**unknown;
        let unknown = || scope.unknown(error.clone(), name).into();
        Err(scope.reject_anonymous().unwrap_or_else(unknown))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        match plan {}
    }
}
