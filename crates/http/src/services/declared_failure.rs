//! Answers that services declare for requests that failed, as replies.

use std::sync::Arc;

use duet_service::services::{AnswerValues, PathValues, ServiceFile};
use hyper::StatusCode;
use hyper::header::WWW_AUTHENTICATE;

use crate::answer::declared::with_headers;
use crate::answer::problem;
use crate::answer::refusal::Refusal;
use crate::answer::reply::{PROBLEM, Reply};
use crate::request::routed::{Destination, Place, RoutedRequest};

/// The answer that the service of a request declares for its failure; `None` where it declares none.
pub(crate) fn failure(routed: &RoutedRequest<'_>, refused: &Refusal) -> Option<Reply> {
    let (file, given) = service(routed)?;
    let (declared, decides) = file.answer_to(&refused.error)?;
    let arrived = routed.authenticated().arrived();
    let body = arrived.request.body().known();
    let query = arrived.request.uri().query();
    let values = file.readable_arguments(given, query, body.map(|bytes| &bytes[..]));
    let values = AnswerValues::of_failure(&file.parameters, &values, decides);
    let status = declared.status.unwrap_or(decides.code.status());
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut reply = match declared.body(&values) {
        Some(body) => with_headers(declared, Reply::json(body), declared.headers(&values)),
        None => {
            let body = problem::body_with(status, &refused.error, &arrived.id.to_string());
            let reply = Reply::new(status, Some(PROBLEM), body);
            with_headers(declared, reply, declared.headers(&values))
        }
    };
    reply.status = status;
    if let Some(challenge) = refused.challenge {
        reply = reply.with_text(WWW_AUTHENTICATE, &challenge.header_value());
    }
    if let Some(seconds) = refused.error.retry_after {
        reply = reply.retry_after(seconds);
    }
    Some(reply)
}

/// The service that a request is for, and the values in its path.
fn service<'r>(
    routed: &'r RoutedRequest<'_>,
) -> Option<(&'r Arc<ServiceFile>, &'r PathValues<'r>)> {
    const NONE: &PathValues<'static> = &Vec::new();
    match routed.destination() {
        Destination::Below(scope, Place::Services(services)) => {
            let method = match scope.request.method().as_str() {
                "HEAD" => "GET",
                method => method,
            };
            let found = services.iter().find(|(service, _)| service.file.method == method);
            found.map(|(service, given)| (&service.file, given))
        }
        Destination::Below(_, Place::Resource(resource, _)) => {
            resource.service.as_ref().map(|file| (file, NONE))
        }
        _ => None,
    }
}
