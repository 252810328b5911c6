//! Writing: documents made, replaced, patched and removed, one by one, by filter, and several in one
//! transaction or batch.

mod batch;
mod body;
mod client_error;
mod collection;
mod conditions;
mod document;
mod execute;
mod finish;
pub(crate) mod keyless;
pub(crate) mod mode;
pub(crate) mod notices;
pub(crate) mod once;
mod rmb_refusal;
pub(crate) mod row;
pub(crate) mod selection;
mod spread;
mod transaction;
pub(crate) mod unseen;
pub(crate) mod without_read;

use std::sync::Arc;

use async_trait::async_trait;
use duet_model::{Error, Result, Value};
use duet_store::{Ending, GroupRead, Session, SharedStore, Write, document_key};

pub(crate) use batch::LoadedDocuments;
pub use batch::{BatchOutcomes, BatchWrite, NewItem, check_items};
pub(crate) use body::served_names;
pub use body::{operation_mistakes, read_array, read_body};
pub use conditions::{Conditions, Tags};
pub use document::{Addresses, DocumentOperation, OwnedLinks, WriteOutcome, WrittenDocument};
pub use mode::WriteMode;
pub use once::{IdempotencyKey, Once, StoredAnswer, WriteAnswer};
pub use selection::{SelectionChange, SelectionWrite};
pub use transaction::TransactionOperation;

use crate::hosting::context::RequestContext;
use crate::resources::resource::Resource;
use crate::write::notices::NoticeList;
pub(crate) use client_error::client_error;
pub(crate) use collection::new_document;
pub use collection::random_uuid;
pub(crate) use document::DocumentTarget;
pub(crate) use document::as_body;
pub(crate) use mode::writable;
use mode::{ending, is_of_key};
pub(crate) use transaction::{LARGE, Numbering};

/// A write of one document.
#[derive(Clone, Debug)]
pub struct DocumentWrite {
    /// The resource.
    pub resource: Arc<Resource>,
    /// What is done.
    pub operation: DocumentOperation,
    /// Under which conditions.
    pub conditions: Conditions,
    /// How.
    pub mode: WriteMode,
    /// Whether the caller may read the document; if not, nothing of it is compared or answered.
    pub may_read: bool,
    /// What the links of the answer are made of.
    pub links: OwnedLinks,
}

impl RequestContext<'_> {
    /// Writes one document. The answer follows its commit.
    ///
    /// # Errors
    /// Whatever the body, the conditions, the shape's annotations or the database say; nothing is
    /// changed then.
    pub async fn write(
        &self,
        write: DocumentWrite,
        once: Option<Once<WriteOutcome>>,
    ) -> Result<WriteAnswer<WriteOutcome>> {
        let store = self.service().store().clone();
        let author = self.author(&write.resource);
        if !write.may_read {
            if write.mode.explain {
                return Err(Error::internal("a plan for a caller who may not read"));
            }
            without_read::check(&write.resource, &write.operation, &write.conditions)?;
        }
        let is_insert = !write.mode.explain && unseen::is_insert(&write.resource, &write.operation);
        // With a key, something comes behind the document.
        let alone = write.mode == WriteMode::default() && once.is_none();
        if alone && !write.resource.inserts_only() {
            let notices = NoticeList::default();
            let target = target(&write, &store, author.as_ref(), alone, false, &notices)?;
            let inserted = self.insert_row(&target, &write.operation).await;
            match inserted.map_err(|error| refused(error, &write)) {
                Ok(Some(outcome)) => return Ok(WriteAnswer::Now(seen(outcome, write.may_read))),
                Ok(None) => {}
                Err(error) if is_insert && unseen::may_help(&error) => {
                    let job = DocumentJob { store, write, author, alone, blind: true };
                    return self.write_once(job, once, &|_| false).await;
                }
                Err(error) => return Err(error),
            }
        }
        let resource = Arc::clone(&write.resource);
        let replaces = matches!(write.operation, DocumentOperation::Replace { .. });
        let finds = |error: &Error| replaces && is_of_key(error, &resource);
        let job = |write, blind| DocumentJob {
            store: store.clone(),
            write,
            author: author.clone(),
            alone,
            blind,
        };
        if !is_insert || !unseen::may_be_hidden(&resource, self.identity().is_some()) {
            return self.write_once(job(write, false), once, &finds).await;
        }
        let again = write.clone();
        match self.write_once(job(write, false), once.clone(), &finds).await {
            Err(error) if unseen::may_help(&error) => {
                self.write_once(job(again, true), once, &finds).await
            }
            written => written,
        }
    }
}

/// The error of a write as its caller may see it.
fn refused(error: Error, write: &DocumentWrite) -> Error {
    let error = client_error(error, &write.resource, write.may_read);
    rmb_refusal::named(error, &write.resource, &write.operation)
}

/// What the caller may see of an outcome.
fn seen(outcome: WriteOutcome, may_read: bool) -> WriteOutcome {
    if may_read { outcome } else { without_read::withheld(outcome) }
}

struct DocumentJob {
    store: SharedStore,
    write: DocumentWrite,
    author: Option<Arc<str>>,
    /// Whether nothing comes behind the document in its transaction.
    alone: bool,
    /// Whether a new row is not read back.
    blind: bool,
}

#[async_trait(?Send)]
impl Write for DocumentJob {
    type Output = WriteOutcome;

    fn touches(&self) -> Option<u64> {
        let key = self.write.operation.key()?;
        let table = &writable(&self.write.resource).ok()?.shape.root().table;
        Some(document_key(&table.schema, &table.name, key))
    }

    fn shares(&self) -> Option<(&Arc<GroupRead>, &Vec<Value>)> {
        let DocumentWrite { resource, operation, mode, .. } = &self.write;
        let changes = matches!(
            operation,
            DocumentOperation::Replace { .. } | DocumentOperation::Patch { .. }
        );
        // An event follows the document, so that it shares nothing.
        let is_more = resource.inserts_only() || resource.shape.notice.is_some();
        if !changes || *mode != WriteMode::default() || is_more {
            return None;
        }
        let group = writable(resource).ok()?.locked.group.as_ref()?;
        Some((group, operation.key()?))
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<WriteOutcome>> {
        let (write, notices) = (&self.write, NoticeList::default());
        let written = if write.resource.inserts_only() {
            let (dialect, mode) = (self.store.dialect(), write.mode);
            let operation = &write.operation;
            keyless::write(session, &write.resource, operation, dialect, mode, self.blind).await
        } else {
            let (author, alone) = (self.author.as_ref(), self.alone);
            let target = target(write, &self.store, author, alone, self.blind, &notices)?;
            let is_row = !self.alone && !self.blind && write.mode == WriteMode::default();
            let inserted = match is_row {
                true => target.insert_row(session, &write.operation).await,
                false => Ok(None),
            };
            match inserted {
                Ok(Some(outcome)) => Ok(outcome),
                Ok(None) => target.write(session, &write.operation, &write.conditions).await,
                Err(error) => Err(error),
            }
        };
        let outcome = written.map_err(|error| refused(error, write))?;
        notices.record(session, self.store.dialect()).await?;
        Ok(ending(write.mode, seen(outcome, write.may_read)))
    }
}

fn target<'a>(
    write: &'a DocumentWrite,
    store: &'a SharedStore,
    author: Option<&'a Arc<str>>,
    alone: bool,
    blind: bool,
    notices: &'a NoticeList<'a>,
) -> Result<DocumentTarget<'a>> {
    Ok(DocumentTarget {
        resource: &write.resource,
        writable: writable(&write.resource)?,
        dialect: store.dialect(),
        links: &write.links,
        author,
        explain: write.mode.explain,
        tried: write.mode.tries_plan(),
        last: alone,
        blind,
        notices,
    })
}
