//! `/rpc/function`: `GET` and `HEAD` with arguments in the query string, `POST` with arguments in the body.

use std::sync::Arc;

use duet_auth::Operation;
use duet_filter::postgrest::{Request, SelectItem};
use duet_model::Error;
use duet_model::catalog::MediaAggregate;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_service::postgrest::{
    CallEnding, FunctionCall, TableForm, TableQuery, TableRows, not_singular,
};
use duet_service::{RequestFrame, Resource, RoutineResource, TIME_ZONE};
use hyper::header::{ALLOW, CONTENT_RANGE, CONTENT_TYPE, VARY};
use hyper::{Method, StatusCode};

use super::arguments;
use super::form::{AggregateForm, AnswerForm, of_domain};
use super::mistakes;
use super::preferences::{APPLIED, Preferences};
use super::range::RowRange;
use super::read::{object_etag, readable, runnable, singular, strip};
use super::settings;
use super::write::reject_headers;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::request::scope::Scope;
use crate::request::table_path::FunctionPath;

/// Which function to call, and what to do with what it gives.
pub(crate) struct FunctionPlan<'r> {
    pub(super) scope: &'r Scope<'r>,
    call: FunctionCall,
    request: Request,
    range: RowRange,
    form: AnswerForm,
    /// The `Content-Type` of a value that is answered as it is.
    media: Option<String>,
    /// The aggregate that makes the answer.
    aggregate: Option<&'r MediaAggregate>,
    preferences: Preferences,
    frame: Option<Arc<RequestFrame>>,
}

impl<'r> FunctionPlan<'r> {
    /// Reads headers, parameters and body, and chooses the function.
    ///
    /// # Errors
    /// Where the caller may not run it, where no function takes the arguments, and for what cannot be read.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        path: &'r FunctionPath<'r>,
    ) -> Result<Self, Refusal> {
        match path.first {
            Some(first) => scope.admit(&first.access, Operation::Execute, &first.name, "")?,
            None => scope.reject_anonymous().map_or(Ok(()), Err)?,
        }
        let method = scope.request.method();
        if !matches!(*method, Method::GET | Method::HEAD | Method::POST) {
            let message = format!("Cannot use the {method} method on RPC");
            return Err(PostgrestCode::FunctionMethod.error(message).into());
        }
        if *method == Method::POST {
            reject_headers(scope)?;
        }
        let headers = scope.request.headers();
        let preferences = Preferences::of(headers)?;
        let limits = scope.service().limits().filter;
        let query = scope.request.uri().query();
        let (given, request) = match *method {
            Method::POST => {
                let request = Request::read(query, &limits)?;
                let given = arguments::of_body(scope, request.columns.as_deref()).await;
                let (given, ()) = mistakes::together(&request, given, Ok(()))?;
                (given, request)
            }
            _ => {
                let (given, rest) = arguments::of_query(query)?;
                (given, Request::read(Some(&rest), &limits)?)
            }
        };
        let call = scope.reader().function_call(scope.mount, scope.who, &path.name, &given);
        let (call, ()) = mistakes::together(&request, call.map_err(Refusal::from), Ok(()))?;
        let shows_all = request.select == [SelectItem::All];
        let media = call.media_type().filter(|_| shows_all);
        let media = media.and_then(|media| of_domain(headers, media));
        let aggregated = match media.is_none() && !call.gives_values() {
            true => AggregateForm::of(scope.mount, headers, call.rows(), shows_all),
            false => None,
        };
        let (aggregate, media) = match aggregated {
            Some(AggregateForm { aggregate, content_type }) => {
                (Some(aggregate), Some(content_type))
            }
            None => (None, media),
        };
        let reads = *method != Method::POST || call.reads();
        if let Some(aggregate) = aggregate.filter(|_| !reads) {
            return Err(PostgrestGap::MediaOfChange.refusal(&aggregate.media).into());
        }
        let form = if media.is_some() { AnswerForm::JSON } else { AnswerForm::of(headers)? };
        if preferences.most().is_some() && call.is_single() {
            let message = "Function must return SETOF or TABLE when max-affected preference is used with handling=strict";
            return Err(PostgrestCode::MaxAffectedCall.error(message).into());
        }
        let range = RowRange::of_request(scope.request.method(), headers, request.root())?;
        let zone = preferences.zone(reads && call.rows().has_time_zones())?;
        let frame = settings::frame(scope, reads, zone);
        let frame = frame.or_else(|| aggregate.is_some().then(settings::read_only));
        Ok(Self { scope, call, request, range, form, media, aggregate, preferences, frame })
    }

    /// Calls it.
    ///
    /// # Errors
    /// Whatever the arguments, the function or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let scope = self.scope;
        let writes = *scope.request.method() == Method::POST && !self.call.reads();
        if writes {
            scope.check_writes()?;
        }
        let mut found = self.rows(writes).await?;
        if self.preferences.most().is_some_and(|most| found.rows > most) {
            return Err(duet_service::postgrest::too_many(found.rows).into());
        }
        let (status, content_range) = self.range.answered(found.rows, found.total)?;
        let mut reply = match self.call.is_void() {
            true => Reply::empty(StatusCode::NO_CONTENT),
            false => {
                self.shape(&mut found)?;
                let mut reply = scope.document(found.document);
                reply.status = status;
                reply.content_type = Some(self.form.content_type());
                if let Some(media) = &self.media {
                    reply.content_type = None;
                    reply = reply.with_text(CONTENT_TYPE, media);
                }
                reply.with_text(VARY, "Prefer, Range")
            }
        };
        reply = reply.with_text(CONTENT_RANGE, &content_range);
        let names = ["count", "tx", "handling", TIME_ZONE, "max-affected"];
        if let Some(applied) = self.preferences.applied(&names) {
            reply = reply.with_text(APPLIED, &applied);
        }
        reply = settings::answered(self.frame.as_ref(), reply)?;
        match scope.request.method().is_safe() {
            true => scope.conditional(reply),
            false => {
                reply.etag = None;
                Ok(reply)
            }
        }
    }

    async fn rows(&self, writes: bool) -> Result<TableRows, Refusal> {
        let scope = self.scope;
        let rows = self.call.rows();
        let denied = |_| Error::internal("a denial that allows");
        let readable = |other: &Resource| readable(scope, other);
        let runnable = |own: &RoutineResource| runnable(scope, own);
        let query = TableQuery {
            right: rows.access.run_right(scope.who).map_err(denied)?,
            mount: scope.mount,
            readable: &readable,
            runnable: &runnable,
            request: &self.request,
            offset: self.range.offset,
            limit: self.range.limit,
            count: self.preferences.count(),
            aggregates: scope.snapshot.application.mounts.aggregates(),
            form: match (self.form.is_csv(), self.call.gives_values()) {
                _ if self.media.is_some() && self.aggregate.is_none() => TableForm::Raw,
                (true, _) => TableForm::Csv,
                (false, true) => TableForm::Values,
                (false, false) => TableForm::Json,
            },
            arguments: None,
            aggregate: self.aggregate.filter(|_| *scope.request.method() != Method::HEAD),
            zoned: self.preferences.is_given(TIME_ZONE),
        };
        let reader = scope.reader().framed(self.frame.as_ref());
        Ok(match writes {
            true => {
                let ending = CallEnding {
                    dry_run: self.preferences.is("tx", "rollback"),
                    singular: self.form.is_object(),
                    most: self.preferences.most(),
                };
                reader.call_function(&self.call, query, ending).await?
            }
            false => reader.function_rows(&self.call, query).await?,
        })
    }

    /// One row or value is answered without the array around it.
    fn shape(&self, found: &mut TableRows) -> Result<(), Refusal> {
        if self.form.is_csv() || self.media.is_some() {
            return Ok(());
        }
        let body = &mut found.document.body;
        match (self.form.is_object(), self.call.is_single()) {
            (true, _) if found.rows != 1 => return Err(not_singular(found.rows).into()),
            (false, true) if found.rows == 0 => body.text = b"null".to_vec(),
            (true, _) | (false, true) => singular(found.rows, body)?,
            (false, false) => {}
        }
        if self.form.is_object() {
            found.document.etag = object_etag(body);
        }
        if self.form.stripped {
            let text = std::mem::take(&mut body.text);
            let stripped = strip(duet_service::Document {
                body: duet_document::TextBuffer { text, lease: None },
                etag: String::new(),
                fetched_at: None,
            });
            body.text = stripped.body.text;
            found.document.etag = stripped.etag;
        }
        Ok(())
    }
}

/// The methods that a function takes.
pub(super) fn options(first: &RoutineResource) -> Reply {
    let methods = match duet_service::postgrest::reads(first) {
        true => "OPTIONS,GET,HEAD,POST",
        false => "OPTIONS,POST",
    };
    Reply::empty(StatusCode::OK).with_text(ALLOW, methods)
}
