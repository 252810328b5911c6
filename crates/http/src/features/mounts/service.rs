//! Services: SQL files with a method and a path.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::services::service::{self, PlannedService};

/// Services: SQL files with a method and a path.
pub(crate) struct Service;

impl Feature for Service {
    const NAME: &'static str = "service";
    const OPERATIONS: &'static [&'static str] = &["call"];

    type Plan<'r> = PlannedService<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Services(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.place()? {
            (scope, Place::Services(services)) => Box::pin(service::plan(scope, services)).await,
            _ => Err(duet_service::Service::nothing_here().into()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        match plan {
            PlannedService::Known(reply) => Ok(*reply),
            PlannedService::Page(plan) => Box::pin(plan.answer()).await,
            PlannedService::Stream(plan) => Box::pin(plan.answer()).await,
            PlannedService::Run(plan) => Box::pin(plan.answer()).await,
        }
    }
}
