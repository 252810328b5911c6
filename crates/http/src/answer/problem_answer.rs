//! Answers of the pages about problems: as HTML, JSON or text.

use duet_document::Etag;
use duet_model::{Code, Error};
use hyper::header::{ACCEPT, CACHE_CONTROL, HeaderValue, IF_NONE_MATCH, VARY};
use hyper::{HeaderMap, Method, StatusCode};

use super::html;
use super::problem_page::ProblemPage;
use super::refusal::Refusal;
use super::reply::Reply;
use crate::message::accept::{none_match, preferred};
use crate::message::header::list;
use crate::message::media::JSON;
use crate::message::methods::Methods;

const HTML: &str = "text/html";
const TEXT: &str = "text/plain";

/// Answers a request for a page.
///
/// # Errors
/// For methods that do not read, and for an `Accept` that excludes every form of it.
pub(crate) fn answer(
    page: ProblemPage,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Reply, Refusal> {
    match *method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Ok(Reply::empty(StatusCode::NO_CONTENT).allow(Methods::READ)),
        _ => return Err(Refusal::method(Methods::READ)),
    }
    let accept = list(headers, &ACCEPT);
    let Some(media) = preferred(accept.as_deref(), &[JSON, HTML, TEXT], |media| media) else {
        let message = "This is served as application/json, text/html and text/plain only.";
        return Err(Error::new(Code::NotAcceptable, message).into());
    };
    let (content_type, text) = match *media {
        HTML => (html::MEDIA, page.html()),
        TEXT => ("text/plain; charset=utf-8", page.text()),
        _ => (JSON, page.json().to_string()),
    };
    let etag = format!("\"{}\"", Etag::of("problem", text.as_bytes()));
    let mut reply = Reply::new(StatusCode::OK, Some(content_type), text.into_bytes());
    if list(headers, &IF_NONE_MATCH).is_some_and(|tags| none_match(&tags, &etag)) {
        reply = Reply::empty(StatusCode::NOT_MODIFIED);
    } else if *media == HTML {
        for (name, value) in html::guards() {
            reply = reply.with(name, value);
        }
    }
    reply.etag = Some(etag);
    Ok(reply
        .with(VARY, HeaderValue::from_static("Accept"))
        .with(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")))
}
