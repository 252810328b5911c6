//! What a feature is.

use super::target::{Route, Target};
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;

/// Something that the server does for requests on a route.
pub(crate) trait Feature {
    /// Its name, for observers ([`Exchange::feature`](crate::Exchange::feature)).
    const NAME: &'static str;

    /// The operations that describe it in OpenAPI, by the first words of their ids. A test compares them with the
    /// documents.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test compares them"))]
    const OPERATIONS: &'static [&'static str] = &[];

    /// What a request will do: its rights have been checked, its parameters and its body read.
    type Plan<'r>;

    /// Whether a request on this route takes it, unless it takes one further up in the table.
    fn takes(route: &Route<'_>) -> bool;

    /// Plans a request: checks the caller's rights, and reads parameters and body.
    ///
    /// # Errors
    /// Where the caller lacks a right, or something of the request is wrong.
    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal>;

    /// Does what was planned.
    ///
    /// # Errors
    /// Whatever the store says.
    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal>;
}
