//! Replies, and how they become responses.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ALLOW, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, VARY,
};
use hyper::{Response, StatusCode};

use crate::methods::Methods;

/// An answer, before it is a response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) body: Vec<u8>,
    /// The value of `ETag`, quotes included.
    pub(crate) etag: Option<String>,
    /// Whether the answer depends on who asks and for which form.
    pub(crate) varies: bool,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// JSON, exactly as the published load tests check it: without a charset.
pub(crate) const JSON: &str = "application/json";
/// RFC 9457's media type.
pub(crate) const PROBLEM: &str = "application/problem+json";

impl Reply {
    /// An answer with a JSON body.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, Some(JSON), body)
    }

    pub(crate) fn new(
        status: StatusCode,
        content_type: Option<&'static str>,
        body: Vec<u8>,
    ) -> Self {
        Self { status, content_type, body, etag: None, varies: false, headers: Vec::new() }
    }

    /// An answer without a body.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::new(status, None, Vec::new())
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Says which methods the path takes.
    pub(crate) fn allow(self, methods: Methods) -> Self {
        self.with_text(ALLOW, &methods.to_string())
    }

    /// A header, unless its value cannot stand in one.
    pub(crate) fn with_text(self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::try_from(value) {
            Ok(value) => self.with(name, value),
            Err(_) => self,
        }
    }

    /// Says when to try again.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.with(RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The response; without its body where the request was a HEAD.
    pub(crate) fn into_response(self, head: bool) -> Response<Full<Bytes>> {
        let length = self.body.len();
        let has_body = !matches!(self.status.as_u16(), 204 | 304);
        let body = if head || !has_body { Bytes::new() } else { Bytes::from(self.body) };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        if head && has_body {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(ETAG, etag);
        }
        if self.varies {
            headers.insert(VARY, HeaderValue::from_static("Accept, Authorization"));
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}
