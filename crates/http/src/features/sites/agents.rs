//! Agents, by the Model Context Protocol.

use crate::agents;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::message::agent_paths::AgentPath;
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::site::Site;

/// Agents, by the Model Context Protocol.
pub(crate) struct Agents;

impl Feature for Agents {
    const NAME: &'static str = "agents";

    type Plan<'r> = (&'r AuthenticatedRequest<'r>, AgentPath);

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Site(Site::Agents(_)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        match target.site()? {
            (authenticated, Site::Agents(path)) => Ok((authenticated, path)),
            (authenticated, _) => Err(authenticated.nothing_here()),
        }
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        let (authenticated, path) = plan;
        Box::pin(agents::answer(authenticated.arrived(), path)).await
    }
}
