//! The resources that an agent may use, by their paths.

use std::sync::Arc;

use duet_auth::Principal;
use duet_mcp::ToolAnswer;
use duet_model::key::percent_decode;
use duet_service::Mount;
use duet_text::name;

use super::visit::AgentVisit;
use crate::describe::names::segment;
use crate::resources::index::{self, Entry};

/// A resource that the caller may use somehow.
#[derive(Clone, Debug)]
pub(crate) struct AgentResource {
    /// Its path, which is how agents name it.
    pub(super) path: String,
    /// The mount's path.
    pub(super) mount: String,
    /// Its name as a segment of a path.
    pub(super) segment: String,
    pub(super) kind: &'static str,
    /// What the caller may do.
    pub(super) operations: Vec<&'static str>,
    pub(super) comment: Option<String>,
}

impl AgentResource {
    fn of(mount: &Mount, entry: Entry<'_>) -> Self {
        let segment = segment(entry.name);
        Self {
            path: format!("{}/{segment}", mount.path),
            mount: mount.path.clone(),
            segment,
            kind: entry.kind,
            operations: entry.operations,
            comment: entry.comment.map(str::to_owned),
        }
    }

    /// Whether it has stored documents, whose lists have forms of their own.
    pub(super) fn is_stored(&self) -> bool {
        self.kind == "collection"
    }

    /// The line that lists it.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("{} ({}: {})", self.path, self.kind, self.operations.join(", "));
        if let Some(comment) = &self.comment {
            let short: String = comment
                .chars()
                .take(120)
                .map(|it| if it.is_control() { ' ' } else { it })
                .collect();
            line.push_str(": ");
            line.push_str(&short);
        }
        line
    }
}

/// All of them, by path. Routines and services that write have no tool, so they are not among them.
pub(super) fn all(visit: &AgentVisit<'_>) -> Vec<AgentResource> {
    let services = visit.arrived.worker.shared.applications.services();
    let mut found = Vec::new();
    for (service, who) in services.iter().zip(&visit.callers) {
        for mount in service.snapshot().mounts.iter() {
            let entries = index::visible(mount, who).into_iter().filter(|entry| !entry.is_routine);
            found.extend(entries.map(|entry| AgentResource::of(mount, entry)));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The resource of a path.
///
/// # Errors
/// Where the caller may use none of this path, with the nearest one.
pub(super) fn find(visit: &AgentVisit<'_>, path: &str) -> Result<AgentResource, ToolAnswer> {
    let services = visit.arrived.worker.shared.applications.services();
    for (service, who) in services.iter().zip(&visit.callers) {
        let snapshot = Arc::clone(&service.snapshot());
        if let Some(found) = snapshot.mounts.iter().find_map(|mount| below(mount, who, path)) {
            return Ok(found);
        }
    }
    let all = all(visit);
    let near = name::nearest(path.trim_end_matches('/'), all.iter().map(|it| it.path.as_str()));
    let hint = near.map_or("`list` has all.".to_owned(), |it| format!("Did you mean {it}?"));
    Err(ToolAnswer::failure(format!("There is no resource {path:?} that you may use. {hint}")))
}

/// The resource of a path below a mount, if the caller may use it.
pub(crate) fn below(mount: &Mount, who: &Principal, path: &str) -> Option<AgentResource> {
    let tail = path.trim_end_matches('/').strip_prefix(mount.path.as_str())?.strip_prefix('/')?;
    let name = percent_decode(tail).ok()?;
    let entry = index::usable(mount.resource(&name).ok()?, who)?;
    Some(AgentResource::of(mount, entry))
}
