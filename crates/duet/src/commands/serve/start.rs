//! The report of a start: for people at a terminal, and for programs.

use std::io::IsTerminal as _;
use std::sync::Arc;

use duet_http::Server;
use duet_model::catalog::RoutineKind;
use duet_model::profiles::ProfileRef;
use duet_service::{Mount, ResourceKind, Service, Snapshot};
use serde_json::Value;

use crate::report::{Outcome, print};
use crate::serving::{Access, Banner, Detail, MountLines, ReadyFile, ResourceLine, ready_text};

/// The report of a start.
pub(super) struct Start {
    /// For people at a terminal.
    banner: String,
    /// For whatever else standard output is: without the secret of the run.
    redirected: String,
    /// For programs.
    ready: String,
}

impl Start {
    pub(super) fn of(
        server: &Server,
        services: &[Arc<Service>],
        access: Access<'_>,
        detail: Detail,
    ) -> Self {
        let snapshots: Vec<_> = services.iter().map(|service| service.snapshot()).collect();
        let mounts = snapshots.iter().flat_map(|snapshot| &snapshot.mounts);
        let mounts = mounts.map(|mount| (mount.name.as_str(), mount.path.as_str()));
        let ready =
            ready_text(server.urls(), mounts, access.client, access.link(server.urls(), true));
        let described: Vec<(String, String)> = services
            .iter()
            .map(|service| (service.name().to_owned(), service.store().describe()))
            .collect();
        let mounts: Vec<MountLines> =
            snapshots.iter().flat_map(|snapshot| mount_lines(snapshot)).collect();
        let text = |is_for_terminal| {
            let (applications, urls, mounts) = (&described, server.urls(), &mounts);
            Banner { applications, urls, mounts, access, detail, is_for_terminal }.text()
        };
        Self { banner: text(true), redirected: text(false), ready }
    }

    /// For the supervisor, which reports it.
    pub(super) fn into_message(self) -> Value {
        let Self { banner, redirected, ready } = self;
        serde_json::json!({ "banner": banner, "redirected": redirected, "ready": ready })
    }

    /// What an instance has sent to the supervisor.
    pub(super) fn from_message(message: &Value) -> Self {
        let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        Self { banner: text("banner"), redirected: text("redirected"), ready: text("ready") }
    }

    /// Reports to people and programs what is served, and where.
    pub(super) fn report(&self, ready_file: Option<&ReadyFile>) -> Outcome {
        if let Some(file) = ready_file {
            file.write(&self.ready)?;
        }
        // Standard output may be closed; it serves all the same.
        let is_terminal = std::io::stdout().is_terminal();
        drop(print(if is_terminal { &self.banner } else { &self.redirected }));
        Ok(())
    }
}

/// Everything that a mount serves, as its own address lists it.
fn mount_lines(snapshot: &Snapshot) -> Vec<MountLines> {
    snapshot
        .mounts
        .iter()
        .map(|mount| MountLines {
            path: mount.path.clone(),
            resources: lines(mount, snapshot.application.profile()),
        })
        .collect()
}

fn lines(mount: &Mount, profile: ProfileRef) -> Vec<ResourceLine> {
    let kind = |kind| match kind {
        ResourceKind::Table => Some("table"),
        ResourceKind::View => Some("view"),
        ResourceKind::DualityView => Some("duality view"),
        // It is among the services.
        ResourceKind::Service => None,
        ResourceKind::Collection => Some("collection"),
    };
    let line = |path: String, kind: &str| ResourceLine { path, kind: kind.to_owned() };
    let resources = mount.resources().iter();
    let resources = resources
        .filter_map(|resource| Some(line(format!("{}/", resource.name), kind(resource.kind)?)));
    let routines = mount.routines();
    let routines = routines.iter().map(|routine| {
        let kind = match routine.routine.kind {
            RoutineKind::Function => "function",
            RoutineKind::Procedure => "procedure",
        };
        line(function_path(&routine.name, profile), kind)
    });
    let services = mount.services().iter().map(|service| {
        let path = service.file.path.to_string();
        line(path.trim_start_matches('/').to_owned(), &format!("service, {}", service.file.method))
    });
    resources.chain(routines).chain(services).collect()
}

/// The path of a function below its mount.
fn function_path(name: &str, profile: ProfileRef) -> String {
    if profile.has_table_paths() { format!("rpc/{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_listed_where_they_are_called() {
        let of = |profile: &str| function_path("add", ProfileRef::named(profile).unwrap());
        assert_eq!((of("native"), of("postgrest")), ("add".to_owned(), "rpc/add".to_owned()));
    }
}
