//! Pages about errors.

use crate::answer::problem_answer;
use crate::answer::problem_page::ProblemPage;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// Pages about errors.
pub(crate) struct Problems;

impl Feature for Problems {
    const NAME: &'static str = "problems";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, ProblemPage);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Problems(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Problems(value)) => Ok((authenticated, value)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, page) = plan;
        let request = &authenticated.arrived().request;
        problem_answer::answer(page, request.method(), request.headers())
    }
}
