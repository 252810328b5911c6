//! `/health/*`, open to all; `/metrics` and `/admin/*`, for the role `duet.admin`.

use std::sync::atomic::Ordering;

use duet_auth::{Decision, Principal};
use duet_model::{Code, Error};
use hyper::{Method, StatusCode};
use serde_json::json;

use crate::methods::Methods;
use crate::metrics;
use crate::principal::{Refusal, refusal};
use crate::reply::{JSON, Reply};
use crate::worker::Worker;

fn only_look(method: &Method) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD) {
        Ok(())
    } else {
        Err(Refusal::method(Methods::LOOK))
    }
}

/// `live`: the process answers. `ready`: the database can be read and written, and the server is not
/// stopping. Why it is not is in the log, and in `/admin/status`.
pub(crate) fn health(worker: &Worker, method: &Method, what: &str) -> Result<Reply, Refusal> {
    let shared = &worker.shared;
    let up = shared.database_up.load(Ordering::Relaxed);
    let (healthy, body) = match what {
        "live" => (true, json!({ "status": "up" })),
        "ready" | "" => {
            let ready = up && !shared.is_stopping();
            let database = if up { "up" } else { "down" };
            (ready, json!({ "status": if ready { "up" } else { "down" }, "database": database }))
        }
        _ => {
            let message = "There are /health/live and /health/ready.";
            return Err(Error::new(Code::NotServed, message).into());
        }
    };
    only_look(method)?;
    let status = if healthy { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    Ok(Reply::new(status, Some(JSON), body.to_string().into_bytes()))
}

/// `/metrics`, in Prometheus's text format.
pub(crate) fn metrics(
    worker: &Worker,
    principal: &Principal,
    method: &Method,
) -> Result<Reply, Refusal> {
    admitted(principal)?;
    only_look(method)?;
    let generation = worker.reader.snapshot().generation;
    let shared = &worker.shared;
    let process = shared.process_metrics();
    let store = shared.service.store_counted();
    let mut text =
        metrics::render(&shared.metrics, &store, &shared.service.queues(), &process, generation);
    let readable = u8::from(shared.service.auth().unreadable().is_none());
    text.push_str(&format!(
        "# HELP duet_clients_readable Whether the clients could be read when last looked at.\n\
         # TYPE duet_clients_readable gauge\nduet_clients_readable {readable}\n"
    ));
    Ok(Reply::new(StatusCode::OK, Some("text/plain; version=0.0.4"), text.into_bytes()))
}

/// `/admin/*`.
pub(crate) async fn admin(
    worker: &Worker,
    principal: &Principal,
    method: &Method,
    what: &str,
) -> Result<Reply, Refusal> {
    admitted(principal)?;
    let service = &worker.shared.service;
    match (what, method) {
        ("reload", &Method::POST) => {
            let reloaded = worker.shared.reload().await?;
            reloaded.notes.iter().for_each(|note| tracing::warn!("{note}"));
            let body = json!({ "generation": reloaded.generation, "notes": reloaded.notes });
            Ok(Reply::json(body.to_string().into_bytes()))
        }
        ("reload", _) => Err(Refusal::method(Methods::POST)),
        ("status", &Method::GET | &Method::HEAD) => {
            let snapshot = worker.reader.snapshot();
            let unreadable = service.auth().unreadable();
            let mounts: Vec<_> = snapshot
                .mounts
                .iter()
                .map(|mount| json!({ "name": mount.name, "path": mount.path, "resources": mount.resources().len() }))
                .collect();
            let mut body = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "database": service.store().describe(),
                "generation": snapshot.generation,
                "ready": worker.shared.database_up.load(Ordering::Relaxed) && !worker.shared.is_stopping(),
                "superuser": service.superuser(),
                "clients": { "readable": unreadable.is_none(), "error": unreadable },
                "mounts": mounts,
                "notes": snapshot.notes,
            });
            if let Some(reason) = worker.shared.reason() {
                body["databaseDown"] = reason.into();
            }
            Ok(Reply::json(body.to_string().into_bytes()))
        }
        ("status", _) => Err(Refusal::method(Methods::LOOK)),
        _ => {
            Err(Error::new(Code::NotServed, "There are POST /admin/reload and GET /admin/status.")
                .into())
        }
    }
}

fn admitted(principal: &Principal) -> Result<(), Refusal> {
    match duet_auth::admin(principal) {
        Decision::Allow => Ok(()),
        Decision::Unauthorized => refusal(Decision::Unauthorized).map_or(Ok(()), Err),
        Decision::Forbidden => {
            let needed = [duet_auth::ADMIN_ROLE.to_owned()];
            Err(Refusal::forbidden(principal, "administrate", &needed))
        }
    }
}
