//! Rows checked, and appended to the journal.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use duet_journal::{Entry, Failure};
use duet_model::{Code, Error, Result};
use duet_sql::Dialect;
use duet_text::json::body::Body;
use tokio::sync::oneshot;

use super::health::logged;
use super::rows;
use crate::hosting::context::RequestContext;
use crate::ingest::OpenJournal;
use crate::ingest::queued_row;
use crate::ingest::sealed_id::{SealedId, SequenceId};
use crate::resources::resource::Resource;
use crate::resources::row_rules::NewRow;
use crate::write::{Numbering, client_error};

/// When rows are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When they are synced: they survive a power cut.
    #[default]
    Synced,
    /// When the system has them in its memory: they survive the end of the process, and not a power cut.
    Written,
}

/// Rows in the journal, by their id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRows(pub SealedId);

/// New documents for the journal.
#[derive(Clone, Copy, Debug)]
pub struct NewDocuments<'a> {
    /// The resource.
    pub resource: &'a Arc<Resource>,
    /// Its path.
    pub path: &'a str,
    /// Who sent them.
    pub caller: &'a str,
    /// The documents.
    pub bodies: &'a [Body],
    /// Whether they are elements of an array, which errors then number.
    pub is_array: bool,
    /// Whether the caller may read the resource.
    pub may_read: bool,
    /// When they are acknowledged.
    pub durability: Durability,
}

impl RequestContext<'_> {
    /// Appends new documents to the journal: all of them, or none. They are written to the database later.
    /// `None` where that is not offered: without a journal, in a database that is not prepared for it, for
    /// documents of several tables, and under a role of the database.
    ///
    /// # Errors
    /// What is wrong with a document, as far as that needs no other rows. [`Code::JournalFull`] where the
    /// journal or its disk has no room, [`Code::BodyTooLarge`] where the empty journal has none; then nothing is kept.
    pub async fn ingest(&self, new: NewDocuments<'_>) -> Result<Option<AcceptedRows>> {
        let Some(ingest) = self.service().ingest() else { return Ok(None) };
        if self.identity().is_some()
            || !queued_row::is_single_row(new.resource)
            || new.bodies.is_empty()
        {
            return Ok(None);
        }
        let opened = match ingest.open(self).await {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(None),
            Err(error) => {
                logged(&error);
                return Err(error);
            }
        };
        let author = self.author(new.resource);
        let entry = entry(&new, author.as_ref(), self.dialect())?;
        let count = entry.rows();
        let accepted = append(&opened, entry.encode(), count, &new).await.map_err(|failure| {
            if matches!(failure, Failure::TakenOver) {
                // Its folder or lock is gone, or another process has it: who opens it next finds out.
                ingest.give_up(&opened);
            }
            refused(&failure)
        })?;
        ingest.counts.accepted.fetch_add(count, Ordering::Relaxed);
        Ok(Some(accepted))
    }
}

/// The rows of new documents, checked.
fn entry(
    new: &NewDocuments<'_>,
    author: Option<&Arc<str>>,
    dialect: &dyn Dialect,
) -> Result<Entry> {
    let resource = new.resource;
    let rules = resource.rules(dialect);
    let row = |body: &Body| -> Result<NewRow> {
        let row = rows::row_of(resource, body, author)?;
        rules.check(&resource.shape, &row)?;
        Ok(row)
    };
    let mut rows = Vec::with_capacity(new.bodies.len());
    for (index, body) in new.bodies.iter().enumerate() {
        rows.push(row(body).map_err(|error| {
            let error = client_error(error, resource, new.may_read);
            match new.is_array {
                true => Numbering::Elements.place(error, index),
                false => error,
            }
        })?);
    }
    let table = &resource.shape.root().table;
    Ok(Entry {
        resource: new.path.to_owned(),
        schema: table.schema.clone(),
        table: table.name.clone(),
        caller: new.caller.to_owned(),
        accepted_at: queued_row::now(),
        groups: rows::groups(&resource.shape, rows),
    })
}

async fn append(
    opened: &Arc<OpenJournal>,
    payload: Vec<u8>,
    rows: u64,
    new: &NewDocuments<'_>,
) -> Result<AcceptedRows, Failure> {
    let rows = u32::try_from(rows).map_err(|_| Failure::Full)?;
    let (sender, receiver) = oneshot::channel();
    // A caller that has gone needs no answer: its rows are kept all the same.
    let done = move |ended| drop(sender.send(ended));
    match new.durability {
        Durability::Synced => opened.journal.append(payload, rows, done),
        Durability::Written => opened.journal.append_unsynced(payload, rows, done),
    }?;
    let appended = receiver.await.map_err(|_| Failure::Closed)??;
    let (journal, first, last) = (opened.id.clone(), appended.first, appended.last);
    Ok(AcceptedRows(SequenceId { journal, first, last }.sealed(&opened.key, new.path)))
}

/// The error of rows that the journal has not kept.
fn refused(failure: &Failure) -> Error {
    if let Failure::TooLarge { most } = failure {
        let message = format!(
            "The rows take more than the {most} bytes that the journal has for one request. Nothing was kept."
        );
        return Error::new(Code::BodyTooLarge, message).hint(
            "Send fewer rows at once, or leave `respond-async` out; the operator gives it room by `--journal-bytes`.",
        );
    }
    let (code, message) = match failure {
        Failure::Full => (
            Code::JournalFull,
            "The journal is full: rows come faster than the database takes them. Nothing was kept. Try again in a moment.",
        ),
        failure if failure.is_disk_full() => (
            Code::JournalFull,
            "The disk of the journal is full. Nothing was kept. Try again when the operator has made room.",
        ),
        _ => (
            Code::JournalUnavailable,
            "The journal cannot be written. Nothing was kept. Try again, or send the request without `respond-async`.",
        ),
    };
    Error::new(code, message).retry_after(1).cause(failure)
}
