//! Routines of the database.

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::services::routine::{self, RoutinePlan};

/// Routines of the database.
pub(crate) struct Routine;

impl Feature for Routine {
    const NAME: &'static str = "routine";
    const OPERATIONS: &'static [&'static str] = &["run"];

    type Plan<'r> = RoutineRequest<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Routine(..)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::Routine(routine, tail)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        Ok(match routine::checked(scope, routine, tail)? {
            Some(reply) => RoutineRequest::Known(Box::new(reply)),
            None => {
                let plan = Box::pin(RoutinePlan::of(scope, routine)).await?;
                RoutineRequest::Run(Box::new(plan))
            }
        })
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        match plan {
            RoutineRequest::Known(reply) => Ok(*reply),
            RoutineRequest::Run(plan) => Box::pin(plan.answer()).await,
        }
    }
}

/// What a request for a routine will do.
pub(crate) enum RoutineRequest<'r> {
    /// What is known without the store.
    Known(Box<Reply>),
    Run(Box<RoutinePlan<'r>>),
}
