//! Rows of tables and results of functions, in profiles whose paths name these and nothing else.

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::resources::postgrest::TablePlan;

/// Rows of tables and results of functions.
pub(crate) struct Table;

impl Feature for Table {
    const NAME: &'static str = "table";

    type Plan<'r> = Box<TablePlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Table(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::Table(path)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        Ok(Box::new(Box::pin(TablePlan::of(scope, path)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
