//! The resources that an agent may use, by their paths.

use std::sync::Arc;

use duet_mcp::ToolAnswer;
use duet_text::name;

use super::visit::AgentVisit;
use crate::describe::names::segment;
use crate::resources::index;

/// A resource that the caller may use somehow.
#[derive(Clone, Debug)]
pub(super) struct AgentResource {
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
    /// The line that lists it.
    pub(super) fn line(&self) -> String {
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
        let snapshot = Arc::clone(&service.snapshot());
        for mount in snapshot.mounts.iter() {
            let entries = index::visible(mount, who).into_iter().filter(|entry| !entry.is_routine);
            found.extend(entries.map(|entry| {
                let segment = segment(entry.name);
                AgentResource {
                    path: format!("{}/{segment}", mount.path),
                    mount: mount.path.clone(),
                    segment,
                    kind: entry.kind,
                    operations: entry.operations,
                    comment: entry.comment.map(str::to_owned),
                }
            }));
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
    let mut all = all(visit);
    let wanted = path.trim_end_matches('/');
    match all.binary_search_by(|it| it.path.as_str().cmp(wanted)) {
        Ok(place) => Ok(all.swap_remove(place)),
        Err(_) => {
            let near = name::nearest(wanted, all.iter().map(|it| it.path.as_str()));
            let hint =
                near.map_or("`list` has all.".to_owned(), |it| format!("Did you mean {it}?"));
            Err(ToolAnswer::failure(format!(
                "There is no resource {path:?} that you may use. {hint}"
            )))
        }
    }
}
