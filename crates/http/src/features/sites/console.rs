//! The console, for people.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::console;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// The console, for people.
pub(crate) struct Console;

impl Feature for Console {
    const NAME: &'static str = "console";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, &'r str);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Console(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Console(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, below) = plan;
        Box::pin(console::answer(authenticated.arrived(), below)).await
    }
}
