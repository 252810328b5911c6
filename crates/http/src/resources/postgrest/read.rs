//! `GET` and `HEAD` of a table.

use std::sync::Arc;

use duet_auth::{Operation, ReadRight};
use duet_document::{Etag, TextBuffer};
use duet_filter::postgrest::{Request, SelectItem};
use duet_service::postgrest::{TableForm, TableQuery, not_singular};
use duet_service::{Document, RequestFrame, Resource, RoutineResource, TIME_ZONE};
use hyper::Method;
use hyper::header::{CONTENT_LOCATION, CONTENT_RANGE, CONTENT_TYPE, VARY, WARNING};

use super::form::{AggregateForm, AnswerForm};
use super::nulls;
use super::preferences::{APPLIED, Preferences};
use super::range::RowRange;
use super::settings;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::request::scope::Scope;

/// Which rows to read, and how.
pub(crate) struct ReadPlan<'r> {
    pub(super) scope: &'r Scope<'r>,
    resource: &'r Resource,
    right: ReadRight<'r>,
    request: Request,
    range: RowRange,
    form: AnswerForm,
    /// The aggregate that makes the answer.
    aggregate: Option<AggregateForm<'r>>,
    preferences: Preferences,
    frame: Option<Arc<RequestFrame>>,
}

impl<'r> ReadPlan<'r> {
    /// Reads headers and parameters.
    ///
    /// # Errors
    /// Where the caller may not read the table, and for what cannot be read or is not taken.
    pub(crate) fn of(scope: &'r Scope<'r>, resource: &'r Resource) -> Result<Self, Refusal> {
        let right = scope.read_right(resource)?;
        let headers = scope.request.headers();
        let limits = scope.service().limits().filter;
        let request = Request::read(scope.request.uri().query(), &limits);
        let shows_all = request.as_ref().is_ok_and(|one| one.select == [SelectItem::All]);
        let aggregate = AggregateForm::of(scope.mount, headers, resource, shows_all);
        let form = if aggregate.is_some() { AnswerForm::JSON } else { AnswerForm::of(headers)? };
        let preferences = Preferences::of(headers)?;
        let request = request?;
        let range = RowRange::of_request(scope.request.method(), headers, request.root())?;
        let zone = preferences.zone(resource.has_time_zones())?;
        let frame = settings::frame(scope, true, zone);
        let frame = frame.or_else(|| aggregate.is_some().then(settings::read_only));
        Ok(Self { scope, resource, right, request, range, form, aggregate, preferences, frame })
    }

    /// Reads the rows.
    ///
    /// # Errors
    /// Whatever the parameters or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let scope = self.scope;
        let is_head = *scope.request.method() == Method::HEAD;
        let readable = |other: &Resource| readable(scope, other);
        let runnable = |own: &RoutineResource| runnable(scope, own);
        let query = TableQuery {
            right: self.right,
            mount: scope.mount,
            readable: &readable,
            runnable: &runnable,
            request: &self.request,
            offset: self.range.offset,
            limit: self.range.limit,
            count: self.preferences.count(),
            aggregates: scope.snapshot.application.mounts.aggregates(),
            form: if self.form.is_csv() { TableForm::Csv } else { TableForm::Json },
            arguments: None,
            // No answer, no aggregate.
            aggregate: self.aggregate.as_ref().map(|own| own.aggregate).filter(|_| !is_head),
            zoned: self.preferences.is_given(TIME_ZONE),
        };
        let reader = scope.reader().framed(self.frame.as_ref());
        let mut found = reader.table_rows(self.resource, query).await?;
        if self.form.is_object() {
            singular(found.rows, &mut found.document.body)?;
            found.document.etag = object_etag(&found.document.body);
        }
        if self.form.stripped {
            found.document = strip(found.document);
        }
        let (status, content_range) = self.range.answered(found.rows, found.total)?;
        let mut reply = scope.document(found.document);
        reply.status = status;
        reply.content_type = Some(self.form.content_type());
        if let Some(AggregateForm { content_type, .. }) = &self.aggregate {
            reply.content_type = None;
            reply = reply.with_text(CONTENT_TYPE, content_type);
        }
        reply = reply.with_text(CONTENT_RANGE, &content_range);
        reply = reply.with_text(CONTENT_LOCATION, &self.location());
        reply = reply.with_text(VARY, "Prefer, Range");
        if let Some(applied) = self.preferences.applied(&["count", "handling", TIME_ZONE]) {
            reply = reply.with_text(APPLIED, &applied);
        }
        if !self.request.renamed.is_empty() {
            reply = reply.with_text(WARNING, OLD_NAME);
        }
        scope.conditional(settings::answered(self.frame.as_ref(), reply)?)
    }

    /// The path with the parameters in their order.
    fn location(&self) -> String {
        let uri = self.scope.request.uri();
        let query = uri.query().unwrap_or_default();
        let mut parameters: Vec<&str> = query.split('&').filter(|it| it.contains('=')).collect();
        parameters.sort_unstable();
        match parameters.is_empty() {
            true => uri.path().to_owned(),
            false => format!("{}?{}", uri.path(), parameters.join("&")),
        }
    }
}

/// Said of parameters that name an embedded resource otherwise than `select` does.
const OLD_NAME: &str =
    "299 duet \"Embedded resource was referenced by relation name even though it has an alias.\"";

/// A document without the members that are `null`, which is another one to caches.
pub(super) fn strip(document: Document) -> Document {
    let Document { body, fetched_at, .. } = document;
    let text = nulls::stripped(&body.text);
    let etag = format!("\"{}\"", Etag::of("stripped", &text));
    Document { body: TextBuffer { text, ..body }, etag, fetched_at }
}

/// The etag of an object, which to caches is another representation than the array of it.
pub(super) fn object_etag(body: &TextBuffer) -> String {
    format!("\"{}\"", Etag::of("object", &body.text))
}

/// Whether the caller may read all of a resource.
pub(super) fn readable(scope: &Scope<'_>, other: &Resource) -> bool {
    other.access.allows(scope.who, Operation::Read, "").is_allowed()
}

/// Whether the caller may run a function.
pub(super) fn runnable(scope: &Scope<'_>, function: &RoutineResource) -> bool {
    function.access.allows(scope.who, Operation::Execute, "").is_allowed()
}

/// Takes the only object out of an array.
///
/// # Errors
/// [`PostgrestCode::Singular`](duet_model::profiles::PostgrestCode::Singular) where there is not exactly one.
pub(super) fn singular(rows: u64, body: &mut TextBuffer) -> Result<(), Refusal> {
    if rows != 1 {
        return Err(not_singular(rows).into());
    }
    body.text.pop();
    body.text.remove(0);
    Ok(())
}
