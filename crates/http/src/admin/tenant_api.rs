//! The tenant API as modules of FOLIO have it (RMB from version 32 on): `POST /_/tenant` makes, upgrades, disables or
//! removes a tenant, and a job says what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::{Principal, TokenTenant};
use duet_model::tenant::TenantName;
use duet_model::{Code, Error};
use duet_service::tenants::TenantData;
use duet_service::{TenantSource, Tenants};
use hyper::header::LOCATION;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::endpoints::admitted;
use super::paths::AdminReach;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::message::tenant_header::{PATH, header, must_be_set};
use crate::processes::tenant_question;
use crate::request::arrived::ArrivedRequest;
use crate::worker::ServerState;
use crate::worker::tenant_jobs::{Job, no_such_job};

/// The longest time that a request waits for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The pause between two questions for a job of another process.
const PAUSE: Duration = Duration::from_millis(100);

/// A request of an administrator; `rest` is the path below.
pub(crate) async fn answer(
    arrived: &ArrivedRequest,
    who: &Principal,
    rest: &str,
) -> Result<Reply, Refusal> {
    let shared = &arrived.worker.shared;
    // Errors are those of the applications with tenants.
    arrived.trace.is_of(shared.applications.all_tenants().next().map(|(number, _)| number));
    admitted(who, AdminReach::Tenant, "make and remove tenants")?;
    let tenant = tenant(arrived, who)?;
    let id = rest.trim_matches('/');
    match (id, arrived.request.method()) {
        ("", &Method::POST) => post(arrived, &tenant).await,
        ("", _) => Err(Refusal::method(Methods::POST)),
        (id, &Method::GET) => job(shared, &tenant, id, arrived.request.uri().query()).await,
        (id, &Method::DELETE) => match tenant_question::forget(shared, &tenant, id).await {
            true => Ok(Reply::empty(StatusCode::NO_CONTENT)),
            false => Err(no_such_job().into()),
        },
        _ => Err(Refusal::method(Methods::GET_AND_DELETE)),
    }
}

/// The tenant that the header names; an administrator whose token has a tenant has no other.
fn tenant(arrived: &ArrivedRequest, who: &Principal) -> Result<TenantName, Refusal> {
    let named = header(arrived.request.headers())?.ok_or_else(must_be_set)?;
    let name: TenantName = std::str::from_utf8(named).unwrap_or_default().parse()?;
    let denied = match who.tenant() {
        TokenTenant::None => return Ok(name),
        TokenTenant::Named(own) if *own == name => return Ok(name),
        TokenTenant::Named(_) => "The tenant in X-Okapi-Tenant is not that of the token.",
        TokenTenant::Invalid(why) => why,
    };
    Err(Error::new(Code::TenantDenied, denied).into())
}

/// What `POST /_/tenant` asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    /// To make the tenant, or what it lacks.
    Prepare(TenantData),
    /// To disable it; its rows stay.
    Disable,
    /// To remove it with its rows.
    Purge,
}

impl Wanted {
    fn of(body: &Value) -> Result<Self, Error> {
        let wrong = |member: &str| {
            Error::new(Code::BadRequest, format!("`{member}` of the body is not as it should be."))
                .hint(r#"Send {"module_to": "orders-1.0.0", "parameters": [{"key": "loadSample", "value": "true"}]}."#)
        };
        let members = body.as_object().ok_or_else(|| wrong("the object"))?;
        let is_given = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::String(text)) => Ok(!text.is_empty()),
            Some(_) => Err(wrong(name)),
        };
        let (to, from) = (is_given("module_to")?, is_given("module_from")?);
        let purge = match members.get("purge") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(purge)) => *purge,
            Some(_) => return Err(wrong("purge")),
        };
        if purge && !to {
            return Ok(Self::Purge);
        }
        if !to && from {
            return Ok(Self::Disable);
        }
        if !to {
            return Err(wrong("module_to"));
        }
        let mut data = TenantData::default();
        let parameters = members.get("parameters").cloned().unwrap_or_else(|| json!([]));
        for parameter in parameters.as_array().ok_or_else(|| wrong("parameters"))? {
            let text = |name: &str| parameter[name].as_str();
            match (text("key"), text("value")) {
                (Some("loadSample"), Some(value)) => data.sample = value == "true",
                // Reference rows come with the scripts that make tables, and other keys are other modules'.
                (Some(_), _) => {}
                (None, _) => return Err(wrong("parameters")),
            }
        }
        Ok(Self::Prepare(data))
    }
}

async fn post(arrived: &ArrivedRequest, tenant: &TenantName) -> Result<Reply, Refusal> {
    let shared = &arrived.worker.shared;
    let body = arrived.body().await?;
    let attributes: Value = serde_json::from_slice(&body)
        .map_err(|error| Error::new(Code::BadRequest, format!("The body is no JSON: {error}.")))?;
    match Wanted::of(&attributes)? {
        Wanted::Disable => Ok(Reply::empty(StatusCode::NO_CONTENT)),
        Wanted::Purge => {
            for (_, tenants) in shared.applications.all_tenants() {
                let name = tenant.clone();
                blocking(tenants, move |source| source.remove(&name).map(drop)).await?;
                tenants.close(tenant).await;
            }
            tenant_question::removed(shared, tenant).await;
            Ok(Reply::empty(StatusCode::NO_CONTENT))
        }
        Wanted::Prepare(data) => {
            let job = Arc::new(Job {
                id: new_id()?,
                tenant: tenant.clone(),
                attributes,
                outcome: watch::Sender::new(None),
            });
            shared.tenant_jobs.add(&job);
            let (shared, running) = (Arc::clone(shared), Arc::clone(&job));
            tokio::task::spawn_local(async move { run(&shared, &running, data).await });
            let body = job.json().to_string().into_bytes();
            let reply = Reply::new(StatusCode::CREATED, Some(JSON), body);
            Ok(reply.with_text(LOCATION, &format!("{PATH}/{}", job.id)))
        }
    }
}

/// Makes the tenant in each application that has tenants.
async fn run(shared: &ServerState, job: &Job, data: TenantData) {
    let mut messages = Vec::new();
    for (number, tenants) in shared.applications.all_tenants() {
        let (name, application) =
            (job.tenant.clone(), shared.applications.services()[number].name().to_owned());
        match blocking(tenants, move |source| source.prepare(&name, data)).await {
            Ok(made) => messages.extend(made.iter().map(|one| format!("{application}: {one}"))),
            Err(error) => {
                // Its cause is for the operator alone.
                let (code, cause) = (error.code.as_str(), error.cause.as_deref());
                tracing::error!(tenant = %job.tenant, application, code, cause, "the tenant was not made");
                let message = format!("{application}: {}", error.message);
                job.outcome.send_replace(Some(Err(message)));
                return;
            }
        }
        if let Some(open) = tenants.find(&job.tenant)
            && let Err(error) = open.service().reload_if_changed().await
        {
            tracing::warn!(tenant = %job.tenant, %error, "the tenant's schema cannot be read");
        }
    }
    // Before anybody reads that it is complete, every process serves it.
    tenant_question::made(shared, &job.tenant).await;
    job.outcome.send_replace(Some(Ok(messages)));
}

/// Runs what blocks where it delays no request.
async fn blocking<T: Send + 'static>(
    tenants: &Tenants,
    work: impl FnOnce(&dyn TenantSource) -> duet_model::Result<T> + Send + 'static,
) -> duet_model::Result<T> {
    let source = Arc::clone(tenants.source());
    tokio::task::spawn_blocking(move || work(&*source)).await.map_err(Error::internal)?
}

/// A job as it is, or as it is when it has ended, as far as the request waits for that.
async fn job(
    shared: &ServerState,
    tenant: &TenantName,
    id: &str,
    query: Option<&str>,
) -> Result<Reply, Refusal> {
    let wait = wait(query)?.min(LONGEST_WAIT);
    let json = match shared.tenant_jobs.find(id, tenant) {
        Some(job) => {
            let mut outcome = job.outcome.subscribe();
            let ended = outcome.wait_for(Option::is_some);
            // In time or not, the job says how it is.
            let _ = tokio::time::timeout(wait, ended).await.map(drop);
            job.json()
        }
        None => elsewhere(shared, tenant, id, wait).await?,
    };
    Ok(Reply::json(json.to_string().into_bytes()))
}

/// A job of another process.
async fn elsewhere(
    shared: &ServerState,
    tenant: &TenantName,
    id: &str,
    wait: Duration,
) -> Result<Value, Error> {
    let until = Instant::now() + wait;
    loop {
        let job = tenant_question::job(shared, tenant, id).await.ok_or_else(no_such_job)?;
        let left = until.saturating_duration_since(Instant::now());
        if job["complete"] == true || left.is_zero() {
            return Ok(job);
        }
        tokio::time::sleep(left.min(PAUSE)).await;
    }
}

/// `wait=MILLISECONDS`; none without it.
fn wait(query: Option<&str>) -> Result<Duration, Error> {
    let wrong = || Error::new(Code::BadParameter, "`wait` is a number of milliseconds.");
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let mut wait = Duration::ZERO;
    for pair in pairs {
        match pair.split_once('=') {
            Some(("wait", value)) => {
                wait = Duration::from_millis(value.parse().map_err(|_| wrong())?);
            }
            _ => {
                let message = "The only parameter here is `wait`, a number of milliseconds.";
                return Err(Error::new(Code::BadParameter, message));
            }
        }
    }
    Ok(wait)
}

/// A random UUID (RFC 9562, version 4).
fn new_id() -> Result<String, Error> {
    duet_service::write::random_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_say_what_is_wanted() {
        let sample = Wanted::Prepare(TenantData { sample: true });
        let plain = Wanted::Prepare(TenantData::default());
        let load = |value: &str| json!([{ "key": "loadSample", "value": value }, { "key": "other", "value": "x" }]);
        for (body, expected) in [
            (json!({ "module_to": "a-1" }), Some(&plain)),
            (json!({ "module_to": "a-2", "module_from": "a-1", "parameters": [] }), Some(&plain)),
            (json!({ "module_to": "a-1", "parameters": load("true") }), Some(&sample)),
            (json!({ "module_to": "a-1", "parameters": load("false") }), Some(&plain)),
            (json!({ "module_from": "a-1" }), Some(&Wanted::Disable)),
            (json!({ "module_from": "a-1", "purge": false }), Some(&Wanted::Disable)),
            (json!({ "module_from": "a-1", "purge": true }), Some(&Wanted::Purge)),
            (json!({ "purge": true }), Some(&Wanted::Purge)),
            (json!({}), None),
            (json!([]), None),
            (json!({ "module_to": 7 }), None),
            (json!({ "module_to": "a-1", "purge": "yes" }), None),
            (json!({ "module_to": "a-1", "parameters": {} }), None),
            (json!({ "module_to": "a-1", "parameters": [{}] }), None),
        ] {
            assert_eq!(Wanted::of(&body).ok().as_ref(), expected, "{body}");
        }
    }

    #[test]
    fn a_request_waits_as_long_as_it_says() {
        assert_eq!(wait(None).unwrap(), Duration::ZERO);
        assert_eq!(wait(Some("wait=1500")).unwrap(), Duration::from_millis(1_500));
        for wrong in ["wait=-1", "wait=", "wait", "weit=1"] {
            assert_eq!(wait(Some(wrong)).unwrap_err().code, Code::BadParameter, "{wrong}");
        }
    }
}
