//! `write`: a dry run, and with its token the change itself.

use bytes::Bytes;
use duet_mcp::{Change, ToolAnswer, WriteOperation};
use duet_model::Code;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, IF_MATCH, LOCATION};
use serde_json::{Value, json};

use super::commit_token::{self, GOOD, NoCommit, TokenCaller};
use super::resource::{AgentResource, find};
use super::rows::{item, without_links};
use super::visit::{Access, AgentVisit, ApiAnswer, ApiRequest};
use crate::message::tenant_header::TENANT;
use crate::request::principal::now;
use crate::resources::idempotency::IDEMPOTENCY_KEY;

/// Tries a change, or commits one that was tried.
pub(super) async fn write(visit: &AgentVisit<'_>, change: &Change) -> ToolAnswer {
    let done = match find(visit, &change.resource).and_then(|it| check(it, change)) {
        Err(failure) => return failure,
        Ok(resource) if change.token.is_some() => commit(visit, &resource, change).await,
        Ok(resource) => try_out(visit, &resource, change).await,
    };
    done.unwrap_or_else(|failure| failure)
}

/// Refuses what the caller may not do, and what has no dry run: a service runs whatever its file says.
fn check(resource: AgentResource, change: &Change) -> Result<AgentResource, ToolAnswer> {
    let needed = match change.operation {
        WriteOperation::Insert => "insert",
        WriteOperation::Replace | WriteOperation::Merge => "update",
        WriteOperation::Delete => "delete",
    };
    let is_allowed = resource.operations.contains(&needed) && resource.kind != "service";
    match is_allowed {
        true => Ok(resource),
        false => Err(ToolAnswer::failure(format!(
            "You may not {needed} in {}: you may {}.",
            resource.path,
            resource.operations.join(", ")
        ))),
    }
}

/// Says what a change would do: its plan, carried out and rolled back, so that constraints and triggers have their say.
async fn try_out(
    visit: &AgentVisit<'_>,
    resource: &AgentResource,
    change: &Change,
) -> Result<ToolAnswer, ToolAnswer> {
    let plan = planned(visit, resource, change).await?;
    let tried = send(visit, resource, change, Access::Write, "?explain=1", Some("tx=rollback"));
    let tried = visit.ask(tried?.request()).await?.json();
    let token = commit_token::seal(auth(visit), caller(visit), change, &plan, now());
    let token = token.map_err(|error| ToolAnswer::failure(error.message))?;
    let (data, is_cut) = visit.budget().value(tried["operations"].clone());
    let facts = json!({
        "committed": false,
        "token": token,
        "expires_in_seconds": GOOD,
        "truncated": is_cut,
        "then": "Nothing has changed. `data` has the row operations. To commit, call again with the same arguments and this token.",
    });
    Ok(ToolAnswer::Data { data, facts: Box::new(facts) })
}

/// The plan of a change. What is forbidden in it is a failure.
async fn planned(
    visit: &AgentVisit<'_>,
    resource: &AgentResource,
    change: &Change,
) -> Result<Value, ToolAnswer> {
    let request = send(visit, resource, change, Access::Write, "?explain=1", None)?;
    let plan = visit.ask(request.request()).await?.json();
    if plan["allowed"] == false {
        let message = "The change is not allowed: `operations` has the reasons.";
        let out = json!({ "message": message, "operations": plan["operations"] });
        return Err(ToolAnswer::Failure(visit.budget().value(out).0));
    }
    Ok(plan["operations"].clone())
}

async fn commit(
    visit: &AgentVisit<'_>,
    resource: &AgentResource,
    change: &Change,
) -> Result<ToolAnswer, ToolAnswer> {
    let plan = planned(visit, resource, change).await?;
    let end = commit_token::open(auth(visit), caller(visit), change, &plan, now());
    let end = end.map_err(|why| {
        ToolAnswer::failure(match why {
            NoCommit::Unknown => "The token is not good, or older than ten minutes: call without it for a new one.",
            NoCommit::Other => "The token is for other arguments, or the data has changed since: call without it, and look at what the change does now.",
        })
    })?;
    let token = change.token.as_deref().unwrap_or_default();
    let mut request = send(visit, resource, change, Access::Write, "", None)?;
    // Where the database keeps keys, it commits once whichever server takes the token, and a repeated call gets the
    // answer of the first.
    request.headers.push((IDEMPOTENCY_KEY, commit_token::key(token)));
    let answer = match visit.ask(request.request()).await {
        Err(ToolAnswer::Failure(failure)) if keeps_no_keys(&failure) => {
            request.headers.retain(|(name, _)| *name != IDEMPOTENCY_KEY);
            use_up(visit, token, end)?;
            visit.ask(request.request()).await
        }
        answer => answer,
    };
    Ok(committed(visit, &answer?))
}

/// Whether a failure says that the database has no table of idempotency keys; nothing was changed then. By its status, as
/// each profile has codes of its own: whatever else is not implemented fails without a key too.
fn keeps_no_keys(failure: &Value) -> bool {
    failure["status"] == Code::IdempotencyNotPrepared.status()
}

/// Uses a token up, as far as this process knows.
fn use_up(visit: &AgentVisit<'_>, token: &str, end: u64) -> Result<(), ToolAnswer> {
    let is_unused = visit.options.used_tokens.take(token, end, now());
    match is_unused.map_err(|error| ToolAnswer::failure(error.message))? {
        true => Ok(()),
        false => Err(ToolAnswer::failure(
            "The token has been used: its change was committed, or has failed.",
        )),
    }
}

fn committed(visit: &AgentVisit<'_>, answer: &ApiAnswer) -> ToolAnswer {
    let mut facts = json!({ "committed": true, "status": answer.status.as_u16() });
    if let Some(etag) = answer.header(&ETAG) {
        facts["etag"] = etag.trim_matches('"').into();
    }
    if let Some(location) = answer.header(&LOCATION) {
        facts["location"] = location.into();
    }
    let (data, is_cut) = visit.budget().value(without_links(answer.json()));
    if is_cut {
        facts["truncated"] = true.into();
    }
    ToolAnswer::Data { data, facts: Box::new(facts) }
}

/// A request with the text of its target.
struct WriteRequest {
    target: String,
    method: Method,
    access: Access,
    headers: Vec<(HeaderName, String)>,
    body: Bytes,
}

impl WriteRequest {
    fn request(&self) -> ApiRequest<'_> {
        ApiRequest {
            access: self.access,
            method: self.method.clone(),
            target: &self.target,
            headers: self.headers.clone(),
            body: self.body.clone(),
        }
    }
}

/// The request of a change, with a query and a preference.
fn send(
    visit: &AgentVisit<'_>,
    resource: &AgentResource,
    change: &Change,
    access: Access,
    query: &str,
    preference: Option<&str>,
) -> Result<WriteRequest, ToolAnswer> {
    if !visit.options.write {
        return Err(ToolAnswer::failure("Agents only read here."));
    }
    let (method, media) = match change.operation {
        WriteOperation::Insert => (Method::POST, "application/json"),
        WriteOperation::Replace => (Method::PUT, "application/json"),
        WriteOperation::Merge => (Method::PATCH, "application/merge-patch+json"),
        WriteOperation::Delete => (Method::DELETE, ""),
    };
    let path = match change.operation {
        WriteOperation::Insert => format!("{}/", resource.path),
        _ => item(&resource.path, &change.key),
    };
    let mut headers = Vec::new();
    let body = change.document.as_ref().map(Value::to_string).unwrap_or_default();
    if !media.is_empty() {
        headers.push((CONTENT_TYPE, media.to_owned()));
    }
    if let Some(etag) = &change.etag {
        headers.push((IF_MATCH, format!("\"{}\"", etag.trim_matches('"'))));
    }
    headers.extend(preference.map(|it| (HeaderName::from_static("prefer"), it.to_owned())));
    Ok(WriteRequest {
        target: format!("{path}{query}"),
        method,
        access,
        headers,
        body: body.into(),
    })
}

/// The clients whose key seals tokens.
fn auth<'v>(visit: &'v AgentVisit<'_>) -> &'v duet_service::Auth {
    visit.arrived.worker.shared.applications.auth()
}

/// The caller, and the tenant that it names.
fn caller<'v>(visit: &'v AgentVisit<'_>) -> TokenCaller<'v> {
    let tenant = visit.arrived.request.headers().get(TENANT);
    let tenant = tenant.and_then(|it| it.to_str().ok()).unwrap_or_default();
    TokenCaller { id: visit.id(), tenant }
}
