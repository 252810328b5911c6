//! Answers that services declare for success, as replies.

use duet_service::ServiceAnswer;
use duet_service::services::{DeclaredAnswer, ServiceFile};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName};

use super::reply::Reply;
use crate::message::media::JSON;

/// The reply of a service that has succeeded: with the status, type and headers that it declares.
pub(crate) fn success(file: &ServiceFile, answer: ServiceAnswer) -> Reply {
    let declared = file.answers.ok();
    let mut reply = match answer.body.is_empty() {
        true => Reply::empty(StatusCode::NO_CONTENT),
        false => Reply::json(answer.body),
    };
    let status = declared.and_then(|answer| answer.status).or(file.status);
    if let Some(status) = status.and_then(|status| StatusCode::from_u16(status).ok()) {
        reply.status = status;
    }
    match declared {
        Some(declared) => with_headers(declared, reply, answer.headers),
        None => reply,
    }
}

/// The media type of a service's response on success.
pub(crate) fn media(file: &ServiceFile) -> &str {
    file.answers.ok().and_then(|answer| answer.media.as_deref()).unwrap_or(JSON)
}

/// Whether a service answers with JSON on success.
pub(crate) fn is_json(file: &ServiceFile) -> bool {
    let media = media(file);
    let essence = media.split(';').next().unwrap_or(media).trim().to_ascii_lowercase();
    essence == JSON || essence.ends_with("+json")
}

/// The reply with the type and the headers that are declared.
pub(crate) fn with_headers(
    declared: &DeclaredAnswer,
    mut reply: Reply,
    headers: Vec<(String, String)>,
) -> Reply {
    if let Some(media) = &declared.media {
        reply.content_type = None;
        reply = reply.with_text(CONTENT_TYPE, media);
    }
    for (name, value) in headers {
        if let Ok(name) = HeaderName::try_from(name) {
            reply = reply.with_text(name, &value);
        }
    }
    reply
}
