//! The round trip: every sample is written through its view into a scratch SQLite database and read back.
//!
//! The service runs in process, so the check has the code of a request.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use duet_auth::{Open, State};
use duet_document::{BodyPurpose, DocumentText, typed_value};
use duet_model::{Code, Error, Member, MemberKind, Place, Result, Value as KeyValue};
use duet_service::write::{
    Conditions, DocumentOperation, DocumentWrite, OwnedLinks, WriteAnswer, WriteMode, WriteOutcome,
    read_body,
};
use duet_service::{Auth, ItemQuery, Resource, Service, WorkerHandle};
use duet_text::json;
use serde_json::{Map, Value};

use super::compare::differences;
use super::input::Document;
use crate::application::{Location, process_environment};
use crate::command_error::{CommandError, ExitStatus};
use crate::commands::sources::{applications, database};
use crate::report::{Outcome as Ended, counted, print};
use crate::runtime::now;

/// Something that a sample lost or gained.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// The document.
    document: String,
    /// The JSON pointer into it; empty for the whole document.
    pointer: String,
    /// What differs.
    what: String,
}

/// A view, and the documents that it is to hold.
#[derive(Debug)]
pub(super) struct CheckedView<'c> {
    /// Its name.
    pub(super) name: &'c str,
    /// Names of members that the documents do not have: keys that the database makes.
    pub(super) invented: &'c HashSet<String>,
    /// The documents.
    pub(super) documents: Vec<&'c Document>,
}

/// Writes the documents of views in the scratch application of a folder, and says what differs.
pub(super) fn report_check(folder: &Path, views: &[CheckedView<'_>]) -> Ended {
    let found = check(folder, views)?;
    let documents: usize = views.iter().map(|one| one.documents.len()).sum();
    if found.is_empty() {
        return print(&format!(
            "Checked: {} written through the views and read back without a difference.\n",
            counted(documents, "document")
        ));
    }
    let text = format!(
        "error: what is read back differs from the samples in {}:\n{}",
        counted(found.len(), "place"),
        report(&found)
    );
    Err(CommandError::Ended(ExitStatus::Failed, text))
}

/// Checks the application in a folder, which is made for SQLite, with a database beside it.
///
/// # Errors
/// Where the application does not fit its own tables, or the database cannot be made.
fn check(folder: &Path, views: &[CheckedView<'_>]) -> Ended<Vec<Difference>> {
    let application = Location::on_disk(folder).read(&process_environment)?;
    let database = applications::loaded_in(folder, &application)?;
    let resolved = applications::alone(application, database)?;
    let runtime = crate::runtime::runtime()?;
    let tasks = tokio::task::LocalSet::new();
    Ok(tasks.block_on(&runtime, async {
        let store = database::open(&resolved.database, &resolved.settings).await?;
        let auth = Auth::in_memory(&State::new(now())?, Open::All);
        let service = Service::open(store, resolved.definition, auth).await?;
        let worker = service.attach()?;
        let mut found = Vec::new();
        let mut written = Vec::new();
        for view in views {
            let resource = resource(&worker, view.name)?;
            for document in view.documents.iter().copied() {
                match write(&worker, &resource, document).await {
                    Ok(key) => written.push((view, Arc::clone(&resource), document, key)),
                    Err(error) => found.push(refused(document, &error)),
                }
            }
        }
        // Later documents may have changed rows that earlier ones have too.
        for (view, resource, document, key) in written {
            found.extend(read_again(&worker, view, &resource, document, &key).await?);
        }
        Ok::<_, Error>(found)
    })?)
}

fn resource(worker: &WorkerHandle, name: &str) -> Result<Arc<Resource>> {
    let snapshot = worker.snapshot();
    let mount = snapshot.mounts.first().ok_or_else(Service::nothing_here)?;
    mount.resource(name).map(Arc::clone)
}

/// Writes a sample, and gives the key of the document as a part of a path. Where an earlier document has made its row,
/// the sample replaces it.
async fn write(
    worker: &WorkerHandle,
    resource: &Arc<Resource>,
    document: &Document,
) -> Result<String> {
    let text: Arc<str> = Value::Object(document.members.clone()).to_string().into();
    let bounds = worker.service().write_limits().bounds(0);
    let body = read_body(resource, &text, BodyPurpose::New, bounds)?;
    match written(worker, resource, DocumentOperation::Create { body }).await {
        Err(error) if error.code == Code::UniqueViolation => {
            let Some(key) = key_of(resource, document) else { return Err(error) };
            let body = read_body(resource, &text, BodyPurpose::Whole, bounds)?;
            let replace = DocumentOperation::Replace { key, body, may_create: false };
            written(worker, resource, replace).await
        }
        other => other,
    }
}

/// The key of a document, if it is one member at its top.
fn key_of(resource: &Resource, document: &Document) -> Option<Vec<KeyValue>> {
    let [key] = resource.shape.key[..] else { return None };
    let root = resource.shape.root();
    let is_key = |member: &&Member| matches!(&member.kind, MemberKind::Column(column) if column.column == key);
    let member = root.members.iter().find(is_key)?;
    let text = document.members.get(&member.name)?.to_string();
    let json = json::read(&text, &json::STORED, 1).ok()?;
    Some(vec![typed_value(&root.table.columns[key].ty, &json).ok()?])
}

async fn written(
    worker: &WorkerHandle,
    resource: &Arc<Resource>,
    operation: DocumentOperation,
) -> Result<String> {
    let write = DocumentWrite {
        resource: Arc::clone(resource),
        operation,
        conditions: Conditions::default(),
        mode: WriteMode::default(),
        may_read: true,
        links: OwnedLinks::default(),
    };
    match worker.acting(None).write(write, None).await? {
        WriteAnswer::Now(
            WriteOutcome::Created(Some(written)) | WriteOutcome::Changed(Some(written)),
        ) => written.key.ok_or_else(no_document),
        _ => Err(no_document()),
    }
}

fn no_document() -> Error {
    Error::internal("a document that was written is not in its view")
}

async fn read_again(
    worker: &WorkerHandle,
    view: &CheckedView<'_>,
    resource: &Arc<Resource>,
    document: &Document,
    key: &str,
) -> Result<Vec<Difference>> {
    let query = ItemQuery { key, fields: None, expansion: None, fresh: true };
    let links = OwnedLinks::default();
    let item = worker.acting(None).item(resource, query, &links.borrowed()).await?;
    let text = text(item.document.body);
    let read: Map<String, Value> = serde_json::from_slice(&text).map_err(Error::internal)?;
    let found = differences(&document.members, &read, view.invented);
    let difference =
        |(pointer, what)| Difference { document: document.place.clone(), pointer, what };
    Ok(found.into_iter().map(difference).collect())
}

fn text(body: DocumentText) -> Vec<u8> {
    match body {
        DocumentText::Whole(body) => body.text,
        DocumentText::Pieces(mut pieces) => {
            let mut text = Vec::with_capacity(pieces.length());
            while let Some(piece) = pieces.next_piece() {
                text.extend_from_slice(&piece.text);
            }
            text
        }
    }
}

/// A sample that the view does not take.
fn refused(document: &Document, error: &Error) -> Difference {
    let pointer = match &error.place {
        Some(Place::Pointer(pointer)) => pointer.clone(),
        _ => String::new(),
    };
    let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" {hint}"));
    let what = format!("refused, {}: {}{hint}", error.code.as_str(), error.message);
    Difference { document: document.place.clone(), pointer, what }
}

/// The differences as lines, the first of them.
fn report(found: &[Difference]) -> String {
    /// Lines that are listed.
    const MOST: usize = 50;
    let mut text = String::new();
    for Difference { document, pointer, what } in found.iter().take(MOST) {
        let pointer = if pointer.is_empty() { "/" } else { pointer };
        text.push_str(&format!("{document}: {pointer}: {what}\n"));
    }
    if found.len() > MOST {
        text.push_str(&format!("… and {} more\n", found.len() - MOST));
    }
    text
}

/// The error of a check whose application cannot be made.
pub(super) fn scratch(error: &std::io::Error) -> CommandError {
    CommandError::machine(format!("The scratch database cannot be made: {error}."))
}
