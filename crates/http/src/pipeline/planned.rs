//! What a request will do: its rights have been checked, its parameters and its body read, by the feature that it takes.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::{Plan, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::routed::RoutedRequest;

/// What a request will do.
pub(crate) struct RequestPlan<'r> {
    authenticated: &'r AuthenticatedRequest<'r>,
    plan: Plan<'r>,
}

impl<'r> RequestPlan<'r> {
    /// Plans a request: checks the caller's rights, and reads parameters and body.
    ///
    /// # Errors
    /// Where the path leads nowhere, the caller lacks a right, or something of the request is wrong.
    pub(crate) async fn of(routed: &'r RoutedRequest<'r>) -> Result<Self, Refusal> {
        let plan = Plan::of(Target::of(routed)).await?;
        Ok(Self { authenticated: routed.authenticated(), plan })
    }

    pub(crate) fn authenticated(&self) -> &'r AuthenticatedRequest<'r> {
        self.authenticated
    }

    /// Does it. The future is the plan's own: one around it would have room for the plan a second time.
    ///
    /// # Errors
    /// Whatever the store says.
    pub(crate) fn answer(self) -> impl Future<Output = Result<Reply, Refusal>> + use<'r> {
        self.plan.answer()
    }
}
