//! `POST`, `PATCH`, `PUT` and `DELETE` of a table.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::{Operation, ReadRight};
use duet_document::TextBuffer;
use duet_filter::postgrest::{Condition, OperatorArgument, Request, SelectItem};
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{Code, Error, Place};
use duet_service::postgrest::{TableChange, TableForm, TableWrite, Upsert, WriteSummary};
use duet_service::write::{BatchWrite, NewItem, OwnedLinks};
use duet_service::{RequestFrame, Resource, Right, RoutineResource};
use duet_text::json::body::Body;
use duet_text::json::{JsonKind, JsonLimits};
use hyper::header::{CONTENT_RANGE, IF_MATCH, IF_NONE_MATCH, LOCATION};
use hyper::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::body;
use super::form::{AggregateForm, AnswerForm};
use super::mistakes;
use super::nulls;
use super::preferences::{APPLIED, Preferences};
use super::range::content_range;
use super::read::{readable, runnable, singular};
use super::settings;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::request::scope::Scope;
use crate::resources::idempotency::IDEMPOTENCY_KEY;

/// What to write.
pub(crate) struct WritePlan<'r> {
    pub(super) scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    right: ReadRight<'r>,
    request: Request,
    change: TableChange,
    form: AnswerForm,
    preferences: Preferences,
    frame: Option<Arc<RequestFrame>>,
}

impl<'r> WritePlan<'r> {
    /// Checks the rights of the caller, and reads headers, parameters and body.
    ///
    /// # Errors
    /// Where the caller may not do it, and for what cannot be read or is not taken.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
    ) -> Result<Self, Refusal> {
        let method = scope.request.method();
        scope.check_writes()?;
        let headers = scope.request.headers();
        let limits = scope.service().limits().filter;
        let request = Request::read(scope.request.uri().query(), &limits);
        let shows_all = request.as_ref().is_ok_and(|one| one.select == [SelectItem::All]);
        let aggregated = AggregateForm::of(scope.mount, headers, resource, shows_all);
        reject_headers(scope)?;
        let form = if aggregated.is_some() { AnswerForm::JSON } else { AnswerForm::of(headers)? };
        let preferences = Preferences::of(headers)?;
        let returns = preferences.is("return", "representation");
        if let Some(aggregated) = aggregated.filter(|_| returns) {
            let media = &aggregated.aggregate.media;
            return Err(PostgrestGap::MediaOfChange.refusal(media).into());
        }
        let request = request?;
        let upsert = upsert(resource, method, &request, &preferences);
        let merges = !preferences.is("resolution", "ignore-duplicates")
            && upsert.as_ref().is_ok_and(Option::is_some);
        admit(scope, resource, merges)?;
        let right = scope.read_right(resource)?;
        scope.preferences(&resource.commit, &resource.name)?;
        let change = match *method {
            Method::DELETE => TableChange::Delete,
            _ => {
                let rows = match mistakes::names_columns(&request) {
                    true => Ok(Vec::new()),
                    false => body::rows(scope, resource, &request, &preferences).await,
                };
                let (rows, upsert) = mistakes::together(&request, rows, upsert)?;
                let is_default = preferences.is("missing", "default");
                change(method, resource, &request, is_default, rows, upsert)?
            }
        };
        let frame = settings::frame(scope, false, preferences.zone(false)?);
        Ok(Self { scope, resource, right, request, change, form, preferences, frame })
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// Whatever the rows or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let is_minimal = !self.returns("representation") && !self.returns("headers-only");
        let is_singular = self.form.is_object();
        let at_once = is_minimal && !is_singular && self.frame.is_none();
        let written = match &self.change {
            TableChange::Insert { rows, upsert: None } if at_once => {
                mistakes::check(&self.request)?;
                match self.inserted(rows.clone()).await {
                    // A trigger keeps some of them out, and the others are to be inserted.
                    Err(refused) if refused.error.code == Code::RowRefused => {
                        self.written(is_singular).await?
                    }
                    inserted => inserted?,
                }
            }
            _ => self.written(is_singular).await?,
        };
        self.scope.trace().fetched(Instant::now());
        settings::answered(self.frame.as_ref(), self.reply(written)?)
    }

    fn returns(&self, what: &str) -> bool {
        self.preferences.is("return", what)
    }

    fn rolls_back(&self) -> bool {
        self.preferences.is("tx", "rollback")
    }

    /// Inserts rows of which nothing is answered, by few statements.
    async fn inserted(&self, rows: Vec<Body>) -> Result<WriteSummary, Refusal> {
        let count = rows.len() as u64;
        let write = BatchWrite {
            resource: Arc::clone(self.resource),
            items: rows.into_iter().map(NewItem::from).map(Ok).collect(),
            atomic: true,
            dry_run: self.rolls_back(),
            may_read: true,
            links: OwnedLinks::default(),
        };
        self.scope.reader().write_batch(write, None).await?;
        Ok(WriteSummary { rows: count, inserted: count, body: None, key: Vec::new() })
    }

    async fn written(&self, singular: bool) -> Result<WriteSummary, Refusal> {
        let scope = self.scope;
        let readable = |other: &Resource| readable(scope, other);
        let runnable = |own: &RoutineResource| runnable(scope, own);
        let form = if self.form.is_csv() { TableForm::Csv } else { TableForm::Json };
        let write = TableWrite {
            right: self.right,
            mount: scope.mount,
            readable: &readable,
            runnable: &runnable,
            request: &self.request,
            aggregates: scope.snapshot.application.mounts.aggregates(),
            resource: self.resource,
            change: self.change.clone(),
            returned: self.returns("representation").then_some(form),
            names_key: self.returns("headers-only") && self.is_insert(),
            singular,
            most: self.preferences.most().filter(|_| !self.is_insert()),
            dry_run: self.rolls_back(),
        };
        Ok(scope.reader().framed(self.frame.as_ref()).write_table(write).await?)
    }

    fn is_insert(&self) -> bool {
        matches!(self.change, TableChange::Insert { .. })
    }

    /// The answer to what was written.
    fn reply(&self, written: WriteSummary) -> Result<Reply, Refusal> {
        let is_put = *self.scope.request.method() == Method::PUT;
        let has_body = written.body.is_some();
        let is_upsert = matches!(&self.change, TableChange::Insert { upsert: Some(upsert), .. } if upsert.merges());
        let is_old = is_upsert && written.inserted == 0;
        let status = match (self.is_insert(), is_put, has_body) {
            (true, false, _) if is_old => StatusCode::OK,
            (true, false, _) => StatusCode::CREATED,
            (true, true, true) if !is_old => StatusCode::CREATED,
            (_, _, true) => StatusCode::OK,
            (_, _, false) => StatusCode::NO_CONTENT,
        };
        let mut reply = match written.body {
            None => Reply::empty(status),
            Some(text) => {
                let mut body = TextBuffer { text, lease: None };
                if self.form.is_object() {
                    singular(written.rows, &mut body)?;
                }
                if self.form.stripped {
                    body.text = nulls::stripped(&body.text);
                }
                Reply { status, content_type: Some(self.form.content_type()), ..Reply::text(body) }
            }
        };
        if !is_put {
            reply = reply.with_text(CONTENT_RANGE, &self.content_range(written.rows));
        }
        if self.returns("headers-only") && self.is_insert() && !written.key.is_empty() {
            reply = reply.with_text(LOCATION, &self.location(&written.key));
        }
        let names: &[&str] = match self.is_insert() {
            true => &["resolution", "missing", "return", "count", "tx", "handling"],
            false => &["return", "count", "tx", "handling", "max-affected"],
        };
        match self.preferences.applied(names) {
            Some(applied) => Ok(reply.with_text(APPLIED, &applied)),
            None => Ok(reply),
        }
    }

    fn content_range(&self, rows: u64) -> String {
        let is_counted = self.preferences.is("count", "exact");
        let of_all = if is_counted { rows.to_string() } else { "*".to_owned() };
        match self.change {
            TableChange::Update { .. } => content_range(0, rows, &of_all),
            _ => format!("*/{of_all}"),
        }
    }

    /// The path of a row: `/t?id=eq.5`.
    fn location(&self, key: &[(String, String)]) -> String {
        let parts =
            key.iter().map(|(name, value)| format!("{}=eq.{}", encoded(name), encoded(value)));
        format!("{}?{}", self.scope.request.uri().path(), parts.collect::<Vec<_>>().join("&"))
    }
}

/// Refuses headers of writes that other profiles take and this one does not: a client that sends one relies on it.
pub(super) fn reject_headers(scope: &Scope<'_>) -> Result<(), Refusal> {
    let known = [
        (IDEMPOTENCY_KEY, "Idempotency-Key"),
        (IF_MATCH, "If-Match"),
        (IF_NONE_MATCH, "If-None-Match"),
    ];
    let headers = scope.request.headers();
    let given: Vec<&str> = known
        .iter()
        .filter(|(header, _)| headers.contains_key(header))
        .map(|known| known.1)
        .collect();
    match given.is_empty() {
        true => Ok(()),
        false => Err(PostgrestGap::WriteHeader.refusal(&given.join(", ")).into()),
    }
}

/// Refuses a caller, or a table, that may not do what a method does.
fn admit(scope: &Scope<'_>, resource: &Resource, merges: bool) -> Result<(), Refusal> {
    let method = scope.request.method();
    let inserts = matches!(*method, Method::POST | Method::PUT);
    let needed = [
        (inserts, Operation::Insert, Right::Insert, resource.takes_inserts()),
        (
            *method == Method::PATCH || merges,
            Operation::Update,
            Right::Update,
            resource.takes_updates() || resource.updates_unkeyed(),
        ),
        (
            *method == Method::DELETE,
            Operation::Delete,
            Right::Delete,
            resource.takes_deletes() || resource.deletes_unkeyed(),
        ),
    ];
    for (_, operation, right, takes) in needed.into_iter().filter(|(is_needed, ..)| *is_needed) {
        scope.admit(&resource.access, operation, &resource.name, "")?;
        if let Some(denied) = resource.denied_by_database(right) {
            return Err(denied.into());
        }
        if !takes {
            let message = format!("{} takes no {operation}.", resource.name);
            return Err(PostgrestCode::Denied.error(message).into());
        }
    }
    Ok(())
}

/// What becomes of rows that exist.
fn upsert(
    resource: &Resource,
    method: &Method,
    request: &Request,
    preferences: &Preferences,
) -> Result<Option<Upsert>, Error> {
    let merges = preferences.is("resolution", "merge-duplicates");
    match *method {
        Method::PUT => Upsert::of(resource, None, true),
        Method::POST if merges || preferences.is("resolution", "ignore-duplicates") => {
            Upsert::of(resource, request.on_conflict.as_deref(), merges)
        }
        _ => Ok(None),
    }
}

/// What a method does with the rows of a body.
fn change(
    method: &Method,
    resource: &Resource,
    request: &Request,
    is_default: bool,
    mut rows: Vec<Body>,
    upsert: Option<Upsert>,
) -> Result<TableChange, Error> {
    match *method {
        Method::PATCH if rows.len() == 1 => {
            let patch = rows.remove(0);
            let columns = request.columns.iter().flatten().filter(|_| is_default);
            let lacks = |name: &&String| patch.names().all(|own| own != name.as_str());
            let defaults = columns.filter(lacks).cloned().collect();
            Ok(TableChange::Update { patch, defaults })
        }
        // An empty array changes nothing.
        Method::PATCH if rows.is_empty() => {
            let patch = Body::read("{}".into(), JsonLimits::depth(1))?;
            Ok(TableChange::Update { patch, defaults: Vec::new() })
        }
        Method::PATCH => Err(PostgrestCode::Body.error("A change takes one object.")),
        Method::PUT => {
            check_put(resource, request, &mut rows)?;
            Ok(TableChange::Insert { rows, upsert })
        }
        _ => Ok(TableChange::Insert { rows, upsert }),
    }
}

/// Refuses a `PUT` that does not name one row by its whole key, or does not have it in its body; others are left out of it.
fn check_put(resource: &Resource, request: &Request, rows: &mut Vec<Body>) -> Result<(), Error> {
    let root = request.root();
    if root.limit.is_some() || root.offset > 0 {
        let message = "limit/offset querystring parameters are not allowed for PUT";
        return Err(PostgrestCode::PutLimit.error(message));
    }
    let table = &resource.shape.root().table;
    let mut named: Vec<(&str, &str)> = Vec::new();
    for condition in &root.conditions {
        match condition {
            Condition::Test(test) if test.operator.name == "eq" && test.path.steps.is_empty() => {
                if let OperatorArgument::Value(value) = &test.operand {
                    named.push((&test.path.column, value));
                }
            }
            _ => return Err(put_filter()),
        }
    }
    let keys: Vec<String> =
        table.primary_key.iter().map(|&at| table.columns[at].served_name()).collect();
    let is_whole = !keys.is_empty() && keys.len() == named.len();
    if !is_whole || !keys.iter().all(|key| named.iter().any(|(name, _)| name == key)) {
        return Err(put_filter());
    }
    let is_same = |row: &Body, (name, value): &(&str, &str)| {
        let given = row.member(name);
        given.is_some_and(|given| match &given.json().kind {
            JsonKind::Text(text) => text == value,
            JsonKind::Number(number) => number == value,
            _ => false,
        })
    };
    rows.retain(|row| named.iter().all(|part| is_same(row, part)));
    match rows.len() {
        1 => Ok(()),
        _ => Err(PostgrestCode::PutKey
            .error("Payload values do not match URL in primary key column(s)")
            .at(Place::Pointer(String::new()))),
    }
}

fn put_filter() -> Error {
    let message = "Filters must include all and only primary key columns with 'eq' operators";
    PostgrestCode::PutFilter.error(message)
}

/// A text as a part of a query string.
fn encoded(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}
