//! Several runs of a service that writes, in one request.

use duet_service::Service;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::services::batch::{self, ServiceBatchPlan};

/// Several runs of a service that writes, in one request.
pub(crate) struct ServiceBatch;

impl Feature for ServiceBatch {
    const NAME: &'static str = "service_batch";
    const OPERATIONS: &'static [&'static str] = &["batchcall"];

    type Plan<'r> = Box<ServiceBatchPlan<'r>>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::ServiceBatch(..)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::ServiceBatch(service, given)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        Ok(Box::new(Box::pin(batch::plan(scope, service, given)).await?))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(plan.answer()).await
    }
}
