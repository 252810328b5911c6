//! The login that an application declares.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;
use crate::resources::login;

/// The login that an application declares.
pub(crate) struct Login;

impl Feature for Login {
    const NAME: &'static str = "login";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, usize);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Login(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Login(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, number) = plan;
        let arrived = authenticated.arrived();
        let snapshot = arrived.worker.readers[number].snapshot();
        Box::pin(login::login(arrived, authenticated.auth(), number, &snapshot)).await
    }
}
