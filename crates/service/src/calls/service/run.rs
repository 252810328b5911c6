//! Running a service: the statements of one that writes in a transaction of their own; a single row of one that
//! reads.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Codec, Datum, Format, RowSet};
use duet_model::{Code, Column, Error, Result, Value};
use duet_store::{CountOf, Done, Ending, Session, SharedStore, Write};

use crate::hosting::context::RequestContext;
use crate::resources::json_rows::{items, object};
use crate::resources::raised;
use crate::resources::resource::Resource;
use crate::resources::service_resource::{ServiceKind, ServiceResource, first_row};
use crate::services::{AnswerValues, Row, ServiceFile, ServiceResult, codecs, text_of};
use crate::write::{Once, WriteAnswer};

/// What a service answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAnswer {
    /// The text, which is JSON; nothing where there is no answer but a status.
    pub body: Vec<u8>,
    /// The path of `Location`, below the mount.
    pub location: Option<String>,
    /// Headers that the service declares.
    pub headers: Vec<(String, String)>,
}

impl RequestContext<'_> {
    /// Runs a service that writes, in a transaction of its own.
    ///
    /// # Errors
    /// Any error of the database; [`Code::NoSuchItem`] if it must answer with a row and there is none.
    pub async fn run_service(
        &self,
        service: &Arc<ServiceResource>,
        arguments: Arc<[Value]>,
        dry_run: bool,
        once: Option<Once<ServiceAnswer>>,
    ) -> Result<WriteAnswer<ServiceAnswer>> {
        let store = self.service().store().clone();
        let (called, service) = (service, Arc::clone(service));
        let job = ServiceJob { store, service, arguments, dry_run };
        let written = self.write_once(job, once, &|_| false).await;
        written.map_err(|error| raised::shown(error, called.raised_messages))
    }

    /// Reads the only row of a service that reads, or its only value.
    ///
    /// # Errors
    /// [`Code::NoSuchItem`] where there is no row, and whatever the database says.
    pub async fn service_row(
        &self,
        file: &ServiceFile,
        resource: &Resource,
        arguments: Arc<[Value]>,
    ) -> Result<ServiceAnswer> {
        let given = Arc::clone(&arguments);
        let dialect = self.service().store().dialect();
        let representation = &resource.whole;
        let page = first_row(arguments);
        let read = Arc::new(representation.read_page(page, dialect, CountOf::Nothing));
        let read = self.handle().page(&read).await;
        let (answer, _) = read.map_err(|error| raised::shown(error, resource.raised_messages))?;
        let rows = answer.fetched.roots();
        let columns = &resource.shape.root().table.columns;
        let body = match file.result {
            ServiceResult::Row if !rows.is_empty() => {
                let (mut scratch, mut out) = (Vec::new(), Vec::new());
                let lines = representation.lines(Format::Ndjson);
                lines.write(
                    representation.page(),
                    &answer.fetched,
                    0..1,
                    &mut scratch,
                    &mut out,
                )?;
                out.truncate(out.trim_ascii_end().len());
                Some(out)
            }
            ServiceResult::Row => None,
            _ => value_of(file.result, rows, &codecs(columns)),
        };
        let body = body.ok_or_else(|| no_row(file))?;
        let (names, codecs) = (served_names(columns), codecs(columns));
        let count = count_of(file.result, rows, &codecs);
        Ok(Filling { file, rows, names: &names, codecs: &codecs, arguments: &given, count }
            .of(body))
    }
}

impl ServiceFile {
    /// The answer of a service without statements.
    pub fn fixed_answer(&self, arguments: &[Value]) -> ServiceAnswer {
        let rows = RowSet::new(0);
        let filling =
            Filling { file: self, rows: &rows, names: &[], codecs: &[], arguments, count: None };
        filling.of(Vec::new())
    }
}

/// What the templates of an answer are filled with.
struct Filling<'a> {
    file: &'a ServiceFile,
    rows: &'a RowSet,
    names: &'a [String],
    codecs: &'a [Codec],
    arguments: &'a [Value],
    count: Option<String>,
}

impl Filling<'_> {
    /// The answer whose usual body is `body`.
    fn of(self, body: Vec<u8>) -> ServiceAnswer {
        let Self { file, rows, names, codecs, arguments, count } = self;
        let location = file.location.as_ref().map(|template| {
            filled(template, |name| {
                let column = names.iter().position(|known| known == name);
                let parameter = file.parameters.iter().position(|known| known.name == name);
                match (column.filter(|_| !rows.is_empty()), parameter) {
                    (Some(column), _) => text_of(rows, column, codecs),
                    (None, Some(parameter)) => arguments[parameter].to_string(),
                    (None, None) => String::new(),
                }
            })
        });
        let Some(declared) = file.answers.ok() else {
            return ServiceAnswer { body, location, headers: Vec::new() };
        };
        let has_row = file.result == ServiceResult::Row && !rows.is_empty();
        let values = AnswerValues {
            parameters: (&file.parameters, arguments),
            row: has_row.then_some(Row { rows, names, codecs }),
            count: count.as_deref(),
            result: Some(&body),
            error: None,
        };
        let (filled, headers) = (declared.body(&values), declared.headers(&values));
        ServiceAnswer { body: filled.unwrap_or(body), location, headers }
    }
}

/// How many rows there are, or the number that the statement has counted.
fn count_of(result: ServiceResult, rows: &RowSet, codecs: &[Codec]) -> Option<String> {
    if result != ServiceResult::Count {
        return Some(rows.len().to_string());
    }
    if rows.is_empty() || rows.get(0, 0) == Datum::Null {
        return Some("0".to_owned());
    }
    let mut out = Vec::new();
    codecs.first()?.write(rows.get(0, 0), &mut out);
    String::from_utf8(out).ok()
}

fn no_row(file: &ServiceFile) -> Error {
    Error::new(Code::NoSuchItem, format!("{} has found nothing for these parameters.", file.name))
}

/// The value of the first column of the first row, as a document or a count.
fn value_of(result: ServiceResult, rows: &RowSet, codecs: &[Codec]) -> Option<Vec<u8>> {
    if result == ServiceResult::Count {
        return Some(format!("{{\"count\":{}}}", count_of(result, rows, codecs)?).into_bytes());
    }
    if rows.is_empty() {
        return None;
    }
    match rows.get(0, 0) {
        Datum::Null => None,
        Datum::Text(json) => Some(json.to_vec()),
        value => {
            let mut out = Vec::new();
            codecs.first()?.write(value, &mut out);
            Some(out)
        }
    }
}

struct ServiceJob {
    store: SharedStore,
    service: Arc<ServiceResource>,
    arguments: Arc<[Value]>,
    dry_run: bool,
}

#[async_trait(?Send)]
impl Write for ServiceJob {
    type Output = ServiceAnswer;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<ServiceAnswer>> {
        let ServiceKind::Write(run) = &self.service.kind else {
            return Err(Error::internal("a service that reads is run as a write"));
        };
        let file = &*self.service.file;
        let calls = run.calls(self.store.dialect(), file, &self.arguments);
        let done = session.run(&calls).await?;
        let answer = answer(file, &run.columns, done.last(), &self.arguments)?;
        Ok(if self.dry_run { Ending::DryRun(answer) } else { Ending::Commit(answer) })
    }
}

/// The answer of a service that has run.
pub(super) fn answer(
    file: &ServiceFile,
    columns: &[Column],
    done: Option<&Done>,
    arguments: &[Value],
) -> Result<ServiceAnswer> {
    let none = RowSet::new(columns.len());
    let rows = done.map_or(&none, |done| &done.rows);
    let (names, codecs) = (served_names(columns), codecs(columns));
    let body = match file.result {
        ServiceResult::Nothing => Some(Vec::new()),
        ServiceResult::Count if columns.is_empty() => {
            let affected = done.map_or(0, |done| done.affected);
            Some(format!("{{\"count\":{affected}}}").into_bytes())
        }
        ServiceResult::Rows => Some(items_of(rows, &names, &codecs)),
        ServiceResult::Row if rows.is_empty() => None,
        ServiceResult::Row => {
            let mut out = Vec::new();
            object(rows, 0, &names, &codecs, &mut out);
            Some(out)
        }
        result => value_of(result, rows, &codecs),
    };
    let body = body.ok_or_else(|| no_row(file))?;
    let count = match (columns.is_empty(), done) {
        (true, Some(done)) => Some(done.affected.to_string()),
        _ => count_of(file.result, rows, &codecs),
    };
    Ok(Filling { file, rows, names: &names, codecs: &codecs, arguments, count }.of(body))
}

fn items_of(rows: &RowSet, names: &[String], codecs: &[Codec]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    items(rows, &mut out, |row, out| object(rows, row, names, codecs, out));
    out
}

fn served_names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(Column::served_name).collect()
}

/// A path with the values of its placeholders, encoded as segments.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&crate::path::segment(&value(name)));
        rest = behind;
    }
    out.push_str(rest);
    out
}
