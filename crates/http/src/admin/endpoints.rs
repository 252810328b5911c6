//! `/health/*`, open to all; `/metrics` and `/admin/*`, for the role `duet.admin`.
//!
//! Readiness is lost with the last database, not with the first: a load balancer would otherwise
//! take the healthy applications away with the one that is down.

use duet_auth::{Decision, Principal, TokenTenant};
use duet_model::{Code, Error};
use duet_service::journal::Breakage;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::clients;
use super::database;
use super::journal;
use super::log;
use super::paths::{self, AdminReach};
use super::rowstore;
use crate::answer::refusal::{Refusal, refusal};
use crate::answer::reply::Reply;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::observe::{standby_metrics, webhook_metrics};
use crate::processes::reports;
use crate::worker::{ServerState, Worker};

fn only_look(method: &Method) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD) {
        Ok(())
    } else {
        Err(Refusal::method(Methods::LOOK))
    }
}

/// `live`: the process answers. `ready`: the database of one application at least can be read and
/// written, and the server is not stopping; it names those that are down, and `ready/NAME` is about one
/// of them. Why one is down is in the log, and in `/admin/status`.
pub(crate) fn health(worker: &Worker, method: &Method, what: &str) -> Result<Reply, Refusal> {
    let shared = &worker.shared;
    let (healthy, body) = match what.split_once('/').unwrap_or((what, "")) {
        ("live", "") => (true, json!({ "status": "up" })),
        ("ready" | "", "") => readiness(shared, None),
        ("ready", name) => {
            let services = shared.applications.services();
            let number = services.iter().position(|service| service.name() == name);
            readiness(shared, Some(number.ok_or_else(no_such_check)?))
        }
        _ => return Err(no_such_check().into()),
    };
    only_look(method)?;
    let status = if healthy { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    Ok(Reply::new(status, Some(JSON), body.to_string().into_bytes()))
}

fn no_such_check() -> Error {
    let message = "There are /health/live, /health/ready and /health/ready/APPLICATION.";
    Error::new(Code::NotServed, message)
}

/// Whether the process is ready, or one of its applications, and what to say of it.
fn readiness(shared: &ServerState, only: Option<usize>) -> (bool, Value) {
    let word = |up| if up { "up" } else { "down" };
    let services = shared.applications.services();
    let is_wanted = |number: &usize| only.is_none_or(|only| only == *number);
    let up: Vec<(usize, bool)> = (0..services.len())
        .filter(is_wanted)
        .map(|number| {
            (number, shared.databases[number].is_up() && broken(shared, number).is_none())
        })
        .collect();
    let (any, all) = (up.iter().any(|(_, up)| *up), up.iter().all(|(_, up)| *up));
    let ready = any && !shared.is_stopping();
    let status = if ready && !all { "degraded" } else { word(ready) };
    let databases = services.iter().enumerate().map(|(number, _)| number).filter(is_wanted);
    let databases = databases.map(|number| shared.databases[number].is_up());
    let mut body =
        json!({ "status": status, "database": word(databases.into_iter().all(|up| up)) });
    if let Some(broken) = (0..services.len()).filter(is_wanted).find_map(|it| broken(shared, it)) {
        body["journal"] = word(false).into();
        body["journalReason"] = broken.reason.into();
    }
    let standbys = |number: &usize| standby_metrics::readiness(&services[*number]);
    let standbys: Vec<Value> =
        (0..services.len()).filter(is_wanted).filter_map(|number| standbys(&number)).collect();
    if !standbys.is_empty() {
        let all = standbys.into_iter().filter_map(|each| each.as_array().cloned());
        body["standbys"] = all.flatten().collect();
    }
    if services.len() > 1 {
        let each = up.iter().map(|(number, up)| (services[*number].name().to_owned(), word(*up)));
        body["applications"] = each.map(|(name, word)| (name, Value::from(word))).collect();
    }
    (ready, body)
}

/// Why rows that were acknowledged may be lost with the files of an application's journal.
fn broken(shared: &ServerState, number: usize) -> Option<Breakage> {
    shared.applications.services()[number].ingest()?.breakage()
}

/// `/metrics`, in Prometheus's text format.
pub(crate) async fn metrics(
    worker: &Worker,
    principal: &Principal,
    method: &Method,
    query: Option<&str>,
) -> Result<Reply, Refusal> {
    admitted(principal, AdminReach::Server, "administrate")?;
    paths::asked("/metrics", method, query)?;
    let text = reports::metrics(&worker.shared).await;
    Ok(Reply::new(StatusCode::OK, Some("text/plain; version=0.0.4"), text.into_bytes()))
}

/// Whether a caller may administrate, and if its token has a tenant, what is of that tenant alone.
pub(crate) fn admitted(who: &Principal, reach: AdminReach, what: &str) -> Result<(), Refusal> {
    match duet_auth::admin(who) {
        Decision::Allow if reach == AdminReach::Server && *who.tenant() != TokenTenant::None => {
            let message = "This is about the whole server, and the client administrates one tenant. Use a client without a tenant.";
            Err(Error::new(Code::TenantDenied, message).into())
        }
        Decision::Allow => Ok(()),
        Decision::Unauthorized => refusal(Decision::Unauthorized).map_or(Ok(()), Err),
        Decision::Forbidden => {
            let needed = [duet_auth::ADMIN_ROLE.to_owned()];
            Err(Refusal::forbidden(who, what, &needed))
        }
    }
}

/// `/admin/*`.
pub(crate) async fn admin(
    worker: &Worker,
    principal: &Principal,
    method: &Method,
    query: Option<&str>,
    what: &str,
) -> Result<Reply, Refusal> {
    admitted(principal, AdminReach::Server, "administrate")?;
    let shared = &worker.shared;
    let asked = paths::asked(&format!("/admin/{what}"), method, query)?;
    let is_change = *method == Method::POST;
    Ok(match (what, is_change) {
        ("rowstore", false) => rowstore::list(shared).await,
        ("rowstore", true) => rowstore::change_everywhere(shared, query).await?,
        ("clients", false) => clients::list(worker),
        ("clients", true) => clients::change(worker, principal, &asked).await?,
        ("journal", false) => journal::list(worker, &asked).await?,
        ("journal", true) => journal::flush(worker, &asked).await?,
        ("journal/dead-letters", false) => journal::dead_letters(worker, &asked).await?,
        ("journal/dead-letters", true) => {
            journal::change_dead_letters(worker, principal, &asked).await?
        }
        ("reload", _) => reload(shared).await?,
        ("instances", _) => reports::instances(shared).await,
        ("services", _) => reports::services(shared).await,
        ("queues", _) => reports::queue_list(shared).await,
        ("latencies", _) => reports::latencies(shared).await,
        ("schema-changes", _) => reports::schema_changes(shared).await,
        ("database", _) => database::views(shared).await,
        ("log", _) => log::lines(shared, &asked).await?,
        _ => statuses(shared),
    })
}

/// `/admin/status`.
fn statuses(shared: &ServerState) -> Reply {
    let numbers = 0..shared.applications.services().len();
    let body = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "applications": numbers.map(|number| status(shared, number)).collect::<Vec<_>>(),
    });
    Reply::json(body.to_string().into_bytes())
}

/// Reloads, and reports the result, above all what was not reloaded.
async fn reload(shared: &ServerState) -> Result<Reply, Refusal> {
    let reloads = shared.reload().await;
    let mut notes: Vec<&String> = Vec::new();
    let mut applications = Vec::new();
    for (name, reloaded) in reloads.done() {
        let (generation, of_application) = (reloaded.generation, &reloaded.notes);
        notes.extend(of_application);
        applications
            .push(json!({ "name": name, "generation": generation, "notes": of_application }));
    }
    notes.extend(&reloads.notes);
    match reloads.error() {
        Some(error) => Err(error.into()),
        None => {
            let mut body = json!({ "applications": applications, "notes": notes });
            if let [(_, only)] = &reloads.done()[..] {
                body["generation"] = Value::from(only.generation);
            }
            if let Some(others) = reports::reload_others(shared).await {
                body["instances"] = others.into();
            }
            Ok(Reply::json(body.to_string().into_bytes()))
        }
    }
}

/// What `/admin/status` says of an application.
fn status(shared: &ServerState, number: usize) -> Value {
    let service = &shared.applications.services()[number];
    let snapshot = service.snapshot();
    let mounts: Vec<_> = snapshot
        .mounts
        .iter()
        .map(|mount| json!({ "name": mount.name, "path": duet_service::shown_path(&mount.path), "resources": mount.resources().len() }))
        .collect();
    let clients = service.auth().health();
    let mut status = json!({
        "name": service.name(),
        "database": service.store().describe(),
        "generation": snapshot.generation,
        "ready": shared.databases[number].is_up() && !shared.is_stopping(),
        "superuser": service.superuser(),
        "listening": service.news().is_listening(),
        "clients": {
            "source": clients.source,
            "readable": clients.error.is_none(),
            "error": clients.error,
            "ageSeconds": clients.age.as_secs(),
            "listening": clients.listening,
        },
        "mounts": mounts,
        "notes": snapshot.notes,
    });
    let live = service.live_counts();
    status["live"] = json!({
        "subscriptions": live.subscriptions.get(),
        "queries": live.queries.get(),
        "documents": live.members.get(),
        "logBytes": live.log_bytes.get(),
    });
    if let Some(reason) = shared.databases[number].reason() {
        status["databaseDown"] = reason.into();
    }
    if let Some(standbys) = standby_metrics::status(service) {
        status["standbys"] = standbys;
    }
    if let Some(webhooks) = webhook_metrics::status(service) {
        status["webhooks"] = webhooks;
    }
    status
}
