//! The token endpoint of an application, or of the process.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;
use crate::resources::token;

/// The token endpoint of an application, or of the process.
pub(crate) struct Token;

impl Feature for Token {
    const NAME: &'static str = "token";

    type Plan<'r> = &'r AuthenticatedRequest<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Token(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        Ok(target.site()?.0)
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        Box::pin(token::token(plan.arrived(), plan.auth())).await
    }
}
