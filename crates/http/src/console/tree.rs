//! The first page: what the caller may see.

use duet_console::address::{Place, query};
use duet_console::page::Section;
use duet_console::tree::{Mount, Resource, Tree};
use hyper::StatusCode;
use serde_json::Value;

use super::form::Form;
use super::visit::{Visit, see, shown};
use crate::answer::reply::Reply;

pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let (find, only) = (parameters.text("find").trim(), parameters.text("mount"));
    let from = parameters.text("from").parse().unwrap_or(0);
    let applications = &visit.arrived.worker.shared.applications;
    let mut mounts = Vec::new();
    for (number, service) in applications.services().iter().enumerate() {
        let snapshot = visit.arrived.worker.readers[number].snapshot();
        let paths = snapshot.mounts.iter().map(|mount| mount.path.clone());
        for path in paths.filter(|path| only.is_empty() || only == path) {
            let called = visit.api().get(&format!("{path}/")).await;
            if !called.status.is_success() {
                continue;
            }
            let all = resources(visit, &path, &called.json());
            if !all.is_empty() {
                let address = |from: usize| {
                    let from = from.to_string();
                    let query = query(&[("find", find), ("mount", &path), ("from", &from)]);
                    format!("{}/{query}", visit.base())
                };
                let part = Mount::part(all, find, from, address);
                mounts.push(Mount { application: service.name().to_owned(), path, ..part });
            }
        }
    }
    if mounts.is_empty() && visit.session.is_none() {
        return see(&format!("{}/sign-in", visit.base()));
    }
    let frame = visit.frame("Data", Section::Data);
    shown(StatusCode::OK, Tree { frame, mounts: &mounts, find }.html())
}

fn resources(visit: &Visit<'_>, path: &str, index: &Value) -> Vec<Resource> {
    let all = index["resources"].as_array().cloned().unwrap_or_default();
    let resources = all.iter().map(|one| {
        let (name, kind) =
            (one["name"].as_str().unwrap_or_default(), one["kind"].as_str().unwrap_or_default());
        let operations = one["operations"].as_array().cloned().unwrap_or_default();
        let operations: Vec<&str> = operations.iter().filter_map(Value::as_str).collect();
        let place = Place { base: visit.base(), mount: path, resource: name };
        let has_rows = operations.contains(&"read")
            && one["links"][0]["rel"].as_str().is_none_or(|rel| rel != "execute");
        Resource {
            name: name.to_owned(),
            kind: kind.to_owned(),
            operations: operations.join(", "),
            href: has_rows.then(|| place.rows()),
        }
    });
    resources.collect()
}
