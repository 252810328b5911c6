//! Preflight requests of browsers.

use hyper::StatusCode;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::site::Site;

/// Preflight requests of browsers.
pub(crate) struct Preflight;

impl Feature for Preflight {
    const NAME: &'static str = "preflight";

    type Plan<'r> = ();

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Preflight))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let _ = target.site()?;
        Ok(())
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let () = plan;
        Ok(Reply::empty(StatusCode::NO_CONTENT))
    }
}
