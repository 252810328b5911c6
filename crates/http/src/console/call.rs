//! Requests that a page makes to the API, in this process: they take the path of every other request, so rights, limits,
//! metrics and the log are those of the API.

use std::sync::Arc;

use bytes::Bytes;
use duet_console::page::Problem;
use duet_service::{Resource, Snapshot};
use http_body_util::{BodyExt, Full};
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue,
};
use hyper::{Method, Request, Response, StatusCode, Version};
use serde_json::{Value, json};

use crate::answer::reply::{PROBLEM, ReplyBody};
use crate::request::arrived::ArrivedRequest;
use crate::request::body::BufferedBody;
use crate::request::designed::{DesignedResource, DesignedSnapshot, ReadOnlyRequest};

/// Who asks: the session's token, and the request for the page, whose host the answers' links have.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) arrived: &'a ArrivedRequest,
    pub(super) token: Option<&'a str>,
}

/// The request is not sent, as the console is read-only.
struct ReadOnly;

/// A request to send.
type RequestToSend = Result<Request<BufferedBody>, ReadOnly>;

/// The answer to what a console that is read-only does not ask for.
fn read_only() -> Option<Response<ReplyBody>> {
    let problem = json!({
        "title": "The console is read-only",
        "status": 403,
        "detail": "It was started with `--console-read-only`, and sends nothing that could change data.",
        "errors": [{ "hint": "Send the request to the API itself, or start the server without it." }],
    });
    let body = ReplyBody::Whole(Full::new(Bytes::from(problem.to_string())));
    Response::builder().status(StatusCode::FORBIDDEN).header(CONTENT_TYPE, PROBLEM).body(body).ok()
}

/// An answer of the API.
pub(super) struct CallAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Caller<'_> {
    /// Gets what is at a path, with its query.
    pub(super) async fn get(&self, target: &str) -> CallAnswer {
        self.send(Method::GET, target, &[], Bytes::new()).await
    }

    /// Sends a request with these headers besides those that every one has.
    pub(super) async fn send(
        &self,
        method: Method,
        target: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> CallAnswer {
        CallAnswer::of(self.response(method, target, headers, body).await).await
    }

    /// The same for a view that is designed.
    pub(super) async fn send_to(
        &self,
        view: &Arc<Resource>,
        method: Method,
        target: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> CallAnswer {
        let request = self.request(method, target, headers, body);
        self.send_with(request, DesignedResource(Arc::clone(view))).await
    }

    /// The same for what would be served with a file that is designed.
    pub(super) async fn send_in(
        &self,
        snapshot: &Arc<Snapshot>,
        method: Method,
        target: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> CallAnswer {
        let request = self.request(method, target, headers, body);
        self.send_with(request, DesignedSnapshot(Arc::clone(snapshot))).await
    }

    /// Sends a request with what it is for, which no request from outside has.
    async fn send_with(
        &self,
        request: Option<RequestToSend>,
        designed: impl Clone + Send + Sync + 'static,
    ) -> CallAnswer {
        let with = |mut request: Request<BufferedBody>| {
            request.extensions_mut().insert(designed);
            request
        };
        CallAnswer::of(self.answer(request.map(|request| request.map(with))).await).await
    }

    /// The same, whose body has not been read; `None` for what cannot be asked for.
    pub(super) async fn response(
        &self,
        method: Method,
        target: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Option<Response<ReplyBody>> {
        self.answer(self.request(method, target, headers, body)).await
    }

    /// Sends a request.
    async fn answer(&self, request: Option<RequestToSend>) -> Option<Response<ReplyBody>> {
        match request? {
            Ok(request) => {
                let arrived = ArrivedRequest::within(self.arrived, request);
                Some((arrived.responder)(&arrived).await)
            }
            Err(ReadOnly) => read_only(),
        }
    }

    /// A request by the caller; `None` for what cannot be asked for.
    fn request(
        &self,
        method: Method,
        target: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Option<RequestToSend> {
        if !self.may_send(&method, target) {
            return Some(Err(ReadOnly));
        }
        let made = Request::builder()
            .method(method)
            .uri(target)
            .version(Version::HTTP_11)
            .body(BufferedBody::of(body));
        let mut request = made.ok()?;
        if self.is_read_only() {
            request.extensions_mut().insert(ReadOnlyRequest);
        }
        self.copy_host(request.headers_mut());
        let token = self.token.map(|token| (AUTHORIZATION, format!("Bearer {token}")));
        let given = headers.iter().map(|(name, value)| (name.clone(), (*value).to_owned()));
        for (name, value) in given.chain(token) {
            request.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
        }
        Some(Ok(request))
    }

    /// Whether a request may be sent: where the console is read-only, nothing that could change data. A token is no data.
    fn may_send(&self, method: &Method, target: &str) -> bool {
        !self.is_read_only() || method.is_safe() || target == "/oauth/token"
    }

    fn is_read_only(&self) -> bool {
        let options = self.arrived.worker.shared.options.console.as_ref();
        options.is_some_and(|options| options.read_only)
    }

    /// The headers by which the server knows its own address.
    fn copy_host(&self, to: &mut HeaderMap) {
        let outer = &self.arrived.request;
        for (name, value) in outer.headers() {
            if *name == HOST || *name == FORWARDED || name.as_str().starts_with("x-forwarded-") {
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

impl CallAnswer {
    /// Reads an answer; `None` is that to what cannot be asked for.
    async fn of(response: Option<Response<ReplyBody>>) -> Self {
        let Some(response) = response else {
            let (status, headers) = (StatusCode::BAD_REQUEST, HeaderMap::new());
            return Self { status, headers, body: Bytes::new() };
        };
        let (head, body) = response.into_parts();
        let body =
            body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        Self { status: head.status, headers: head.headers, body }
    }

    /// The body; NULL where it is not JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header as text.
    pub(super) fn header(&self, name: HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// What went wrong, for people.
    pub(super) fn problem(&self) -> Problem {
        let json = self.json();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let first = &json["errors"][0];
        Problem {
            title: text(&json["title"])
                .unwrap_or_else(|| format!("The request was answered {}", self.status)),
            detail: text(&json["detail"]).unwrap_or_default(),
            hint: text(&first["hint"]),
            code: text(&first["code"]),
        }
    }

    /// What went wrong at members of the body: each with its pointer.
    pub(super) fn at_members(&self) -> Vec<(String, String)> {
        let json = self.json();
        let all = json["errors"].as_array().cloned().unwrap_or_default();
        let detail = json["detail"].as_str().unwrap_or_default();
        let one = |error: &Value| {
            let pointer = error["pointer"].as_str()?.trim_start_matches('/').to_owned();
            let message = error["detail"].as_str().unwrap_or(detail).to_owned();
            (!pointer.is_empty()).then_some((pointer, message))
        };
        all.iter().filter_map(one).collect()
    }
}
