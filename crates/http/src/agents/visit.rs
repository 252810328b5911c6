//! Who calls, and the requests that a call makes.

use std::sync::Arc;

use bytes::Bytes;
use duet_auth::{Decision, Open, Principal};
use duet_mcp::{Budget, ToolAnswer};
use http_body_util::BodyExt as _;
use hyper::header::{AUTHORIZATION, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode, Version};
use serde_json::{Value, json};

use crate::answer::refusal::{Refusal, refusal};
use crate::message::tenant_header::TENANT;
use crate::options::agents::AgentOptions;
use crate::request::arrived::ArrivedRequest;
use crate::request::body::BufferedBody;
use crate::request::designed::ReadOnlyRequest;
use crate::resources::index;

/// A message of a known caller.
pub(super) struct AgentVisit<'a> {
    pub(super) arrived: &'a ArrivedRequest,
    pub(super) options: &'a AgentOptions,
    /// The caller as each application knows it.
    pub(super) callers: Vec<Arc<Principal>>,
}

/// Whether a request may change data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Its session of the database is read-only, whatever its method is.
    Read,
    Write,
}

/// A request to the API.
pub(super) struct ApiRequest<'r> {
    pub(super) access: Access,
    pub(super) method: Method,
    /// Path and query.
    pub(super) target: &'r str,
    pub(super) headers: Vec<(HeaderName, String)>,
    pub(super) body: Bytes,
}

impl<'r> ApiRequest<'r> {
    /// A GET.
    pub(super) fn get(target: &'r str) -> Self {
        let (method, headers, body) = (Method::GET, Vec::new(), Bytes::new());
        Self { access: Access::Read, method, target, headers, body }
    }
}

/// An answer of the API.
pub(super) struct ApiAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl<'a> AgentVisit<'a> {
    /// The caller of a message.
    ///
    /// # Errors
    /// Where its credential is not good, or it has none and the server is not open.
    pub(super) fn of(
        arrived: &'a ArrivedRequest,
        options: &'a AgentOptions,
    ) -> Result<Self, Refusal> {
        let worker = &arrived.worker;
        let callers = index::callers(worker, &arrived.remote, arrived.request.headers())?;
        let shared = &worker.shared;
        let auths = shared.applications.auths();
        let is_open = auths.iter().any(|auth| auth.open() != Open::No);
        let is_known = callers.iter().any(|who| !who.is_anonymous());
        if !is_known && !is_open {
            return Err(refusal(Decision::Unauthorized).unwrap_or_else(|| {
                Refusal::from(duet_model::Error::internal("no refusal of an anonymous caller"))
            }));
        }
        if is_known {
            arrived.remote.has_authenticated();
        }
        Ok(Self { arrived, options, callers })
    }

    /// The name of the caller, for the operator.
    pub(super) fn name(&self) -> &str {
        self.known().map_or("anonymous", |who| who.name())
    }

    /// The id of the caller; the same for the same caller.
    pub(super) fn id(&self) -> &str {
        self.known().and_then(|who| who.client_id()).unwrap_or_default()
    }

    fn known(&self) -> Option<&Arc<Principal>> {
        self.callers.iter().find(|who| !who.is_anonymous())
    }

    /// How large an answer may be.
    pub(super) fn budget(&self) -> Budget {
        self.options.budget
    }

    /// Sends a request in the agent's name; `None` for what cannot be asked for.
    pub(super) async fn send(&self, request: ApiRequest<'_>) -> Option<ApiAnswer> {
        let access = request.access;
        let made = Request::builder()
            .method(request.method)
            .uri(request.target)
            .version(Version::HTTP_11)
            .body(BufferedBody::of(request.body));
        let mut made = made.ok()?;
        if access == Access::Read {
            made.extensions_mut().insert(ReadOnlyRequest);
        }
        self.copy_headers(made.headers_mut());
        for (name, value) in request.headers {
            made.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
        }
        let arrived = ArrivedRequest::within(self.arrived, made);
        let (head, body) = (arrived.responder)(&arrived).await.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        Some(ApiAnswer { status: head.status, headers: head.headers, body })
    }

    /// The same, and the failure where the answer is one.
    ///
    /// # Errors
    /// What the API says.
    pub(super) async fn ask(&self, request: ApiRequest<'_>) -> Result<ApiAnswer, ToolAnswer> {
        let answer = self.send(request).await;
        let answer = answer.ok_or_else(|| ToolAnswer::failure("This cannot be asked for."))?;
        if answer.status.is_success() { Ok(answer) } else { Err(answer.failure(self.budget())) }
    }

    /// The headers by which the server knows the caller, its tenant, and its own address.
    fn copy_headers(&self, to: &mut HeaderMap) {
        let shared = &self.arrived.worker.shared;
        let outer = &self.arrived.request;
        let keys = shared.options.api_key_header.as_ref();
        let snapshots: Vec<_> =
            shared.applications.services().iter().map(|service| service.snapshot()).collect();
        let is_login = |name: &HeaderName| {
            let mut logins = snapshots.iter().filter_map(|it| it.application.mounts.login());
            logins.any(|login| name.as_str().eq_ignore_ascii_case(&login.header))
        };
        for (name, value) in outer.headers() {
            let is_own = [AUTHORIZATION, HOST, FORWARDED, TENANT].contains(name)
                || keys == Some(name)
                || name.as_str().starts_with("x-forwarded-")
                || is_login(name);
            if is_own {
                to.append(name.clone(), value.clone());
            }
        }
        if let Some(authority) = outer.uri().authority().filter(|_| !to.contains_key(HOST))
            && let Ok(value) = HeaderValue::try_from(authority.as_str())
        {
            to.insert(HOST, value);
        }
    }
}

impl ApiAnswer {
    /// The body; NULL where it is not JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header as text.
    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// What went wrong, for an agent: the status, the permanent code, and what to do.
    pub(super) fn failure(&self, budget: Budget) -> ToolAnswer {
        let json = self.json();
        let mut errors = json["errors"].as_array().cloned().unwrap_or_default();
        errors.truncate(10);
        let detail =
            json["detail"].as_str().or(json["message"].as_str()).or(json["title"].as_str());
        let message = detail.unwrap_or("The request was refused.");
        let out = json!({ "status": self.status.as_u16(), "message": message, "errors": errors });
        ToolAnswer::Failure(budget.value(out).0)
    }
}
