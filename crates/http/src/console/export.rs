//! Rows of a filter as a file, which the browser stores: what the API streams to the same caller.

use bytes::Bytes;
use duet_console::address::query;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};

use super::call::CallAnswer;
use super::form::Form;
use super::place::At;
use super::visit::Visit;
use crate::answer::reply::{Content, Reply};

/// A form that rows are stored in.
pub(super) struct File {
    /// How the page names it.
    pub(super) words: &'static str,
    /// The ending of the file's name, by which the address names it.
    pub(super) ending: &'static str,
    /// What the API is asked for.
    media: &'static str,
}

/// The forms that are offered.
pub(super) const FILES: [File; 2] = [
    File { words: "CSV", ending: "csv", media: "text/csv" },
    File { words: "NDJSON", ending: "ndjson", media: "application/x-ndjson" },
];

/// Sends them as they come.
pub(super) async fn rows(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    let Some(file) = FILES.iter().find(|file| file.ending == parameters.text("as")) else {
        return visit.nothing();
    };
    let target = format!("{}{}", at.api(), query(&[("q", parameters.text("q"))]));
    let accept = [(ACCEPT, file.media)];
    let Some(response) = visit.api().response(Method::GET, &target, &accept, Bytes::new()).await
    else {
        return visit.nothing();
    };
    let (head, body) = response.into_parts();
    if !head.status.is_success() {
        let body =
            body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        return visit.refused(&CallAnswer { status: head.status, headers: head.headers, body });
    }
    let mut reply = Reply::of(Content::Own(Box::new(body)));
    reply.content_type = None;
    let media = head.headers.get(CONTENT_TYPE).cloned();
    reply
        .with(CONTENT_TYPE, media.unwrap_or(HeaderValue::from_static("application/octet-stream")))
        .with_text(
            CONTENT_DISPOSITION,
            &format!("attachment; filename=\"{}.{}\"", name(&at.resource), file.ending),
        )
        .with(
            HeaderName::from_static("x-content-type-options"),
            HeaderValue::from_static("nosniff"),
        )
        .with(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"))
}

/// The resource's name with nothing that a name of a file, or a header, cannot have.
fn name(resource: &str) -> String {
    let plain =
        |it: char| if it.is_ascii_alphanumeric() || matches!(it, '-' | '_') { it } else { '_' };
    resource.chars().map(plain).collect()
}
