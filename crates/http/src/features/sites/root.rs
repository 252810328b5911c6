//! The root of the server: the console for people, otherwise the mounts.

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::console;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;
use crate::resources::index;

/// The root of the server: the console for people, otherwise the mounts.
pub(crate) struct Root;

impl Feature for Root {
    const NAME: &'static str = "root";

    type Plan<'r> = &'r AuthenticatedRequest<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Root))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        Ok(target.site()?.0)
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let arrived = plan.arrived();
        match console::front(arrived) {
            Some(reply) => Ok(reply),
            None => index::root(arrived),
        }
    }
}
