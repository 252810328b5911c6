//! What became of rows that were acknowledged from the journal: `GET …/_/journal/{id}`.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::subpath::rows_of_journal;
use crate::resources::ingest::RowsPlan;

/// What became of rows that were acknowledged from the journal: `GET …/_/journal/{id}`.
pub(crate) struct AcceptedRows;

impl Feature for AcceptedRows {
    const NAME: &'static str = "rows";

    type Plan<'r> = Box<RowsPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Resource(route) if rows_of_journal(route.tail).is_some())
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let target = target.resource()?;
        let id = rows_of_journal(target.route.tail).unwrap_or_default();
        Ok(Box::new(RowsPlan::of(target.scope, target.resource, id)?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
