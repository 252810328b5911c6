//! Several writes of several resources in one transaction.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::resources::transaction::TransactionPlan;

/// Several writes of several resources in one transaction.
pub(crate) struct Transaction;

impl Feature for Transaction {
    const NAME: &'static str = "transaction";
    const OPERATIONS: &'static [&'static str] = &["transact"];

    type Plan<'r> = Box<TransactionPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Transaction))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, _) = target.place()?;
        Ok(Box::new(Box::pin(TransactionPlan::of(scope)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
