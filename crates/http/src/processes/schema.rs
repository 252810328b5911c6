//! `GET /admin/schema-changes`: when what an application serves was replaced, and what differs since.

use std::time::SystemTime;

use duet_service::{ChangedNames, SchemaChange, Service};
use duet_text::time::moment::rfc3339;
use serde_json::{Value, json};

use crate::worker::ServerState;

/// The last changes of all applications and of their open tenants in this process, the newest first.
pub(crate) fn changes(shared: &ServerState) -> Value {
    let services = shared.applications.services();
    let mut all: Vec<(SystemTime, Value)> = Vec::new();
    for service in services {
        all.extend(of_service(service, None));
    }
    for (number, tenants) in shared.applications.all_tenants() {
        for tenant in tenants.open_ones() {
            let name = tenant.name().to_string();
            let own = of_service(tenant.service(), Some(&name)).into_iter();
            all.extend(own.map(|(at, mut change)| {
                change["application"] = services[number].name().into();
                (at, change)
            }));
        }
    }
    all.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    all.into_iter().map(|(_, change)| change).collect()
}

fn of_service(service: &Service, tenant: Option<&str>) -> Vec<(SystemTime, Value)> {
    let written = |change: SchemaChange| {
        let seconds = change.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let difference = &change.difference;
        let json = json!({
            "application": service.name(),
            "tenant": tenant,
            "at": rfc3339(seconds.as_secs()),
            "generation": change.generation,
            "added": names(&difference.added),
            "removed": names(&difference.removed),
            "changed": names(&difference.changed),
        });
        (change.at, json)
    };
    service.schema_changes().into_iter().map(written).collect()
}

fn names(names: &ChangedNames) -> Value {
    json!({ "count": names.count, "names": names.names })
}
