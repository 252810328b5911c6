//! `GET` of the mount itself: the OpenAPI document of what the caller may use.

use std::sync::Arc;

use duet_model::profiles::PostgrestCode;
use hyper::header::{ACCEPT, ALLOW};
use hyper::{Method, StatusCode};

use super::TablePlan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::describe::catalog::{Catalog, CatalogRequest};
use crate::message::accept::preferred;
use crate::message::header::list;
use crate::request::scope::Scope;

/// The media types, the first of which answers `*/*`, with the `Content-Type` of each.
const FORMS: [(&str, &str); 2] = [
    ("application/openapi+json", "application/openapi+json; charset=utf-8"),
    ("application/json", "application/json; charset=utf-8"),
];

/// The description that will be written.
pub(crate) struct DescribePlan<'r> {
    scope: &'r Scope<'r>,
    request: CatalogRequest,
    content_type: &'static str,
}

/// Plans a request of the mount.
///
/// # Errors
/// Where the caller may not read descriptions, and for other methods and media types.
pub(super) fn plan<'r>(scope: &'r Scope<'r>) -> Result<TablePlan<'r>, Refusal> {
    match *scope.request.method() {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => {
            let reply = Reply::empty(StatusCode::OK).with_text(ALLOW, "OPTIONS,GET,HEAD");
            return Ok(TablePlan::Options(Box::new(reply)));
        }
        ref method => {
            let message = format!("Unsupported HTTP method: {method}");
            return Err(PostgrestCode::Method.error(message).into());
        }
    }
    if let Some(refused) = scope.reject_anonymous() {
        return Err(refused);
    }
    // What is kept of descriptions is kept by roles, and those of a link say nothing of what it may read.
    if scope.who.link().is_some() {
        return Err(Refusal::forbidden(scope.who, "read the catalog", &[]));
    }
    let accept = list(scope.request.headers(), &ACCEPT);
    let form = preferred(accept.as_deref(), &FORMS, |(name, _)| *name).ok_or_else(|| {
        let text = accept.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let message = format!("None of these media types are available: {text}");
        PostgrestCode::MediaType.error(message)
    })?;
    let request = CatalogRequest {
        service: Arc::clone(scope.service()),
        snapshot: Arc::clone(scope.snapshot),
        mount: scope.mount_number(),
        principal: Arc::clone(scope.who),
        catalog: Catalog::Swagger,
        tail: String::new(),
        query: None,
        api_key_header: None,
    };
    Ok(TablePlan::Describe(Box::new(DescribePlan { scope, request, content_type: form.1 })))
}

impl DescribePlan<'_> {
    /// Writes the description, or takes one that was kept.
    ///
    /// # Errors
    /// Where there is no thread or memory for it.
    pub(super) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, request, content_type } = self;
        let (shared, base) = (&scope.worker.shared, scope.origin.to_string());
        let kept = (&shared.descriptions, &shared.offload);
        let mut reply = Box::pin(request.answer(&base, kept)).await?;
        reply.content_type = Some(content_type);
        scope.conditional(reply)
    }
}
