//! Writing: documents made, replaced, patched and removed, one by one, by filter, and several in one
//! transaction.

mod body;
mod conditions;
mod document;
mod execute;
mod keyless;
mod row;
mod selection;
mod transaction;
mod updates;
mod violation;
pub(crate) mod without_read;
mod writable;

use std::sync::Arc;

use duet_db::{Ending, Session, Store, Write, document_key};
use duet_model::{Code, Error, Result};

pub use body::{check_operations, read_array, read_body};
pub use conditions::{Conditions, Tags};
pub use document::{Operation, Outcome, OwnedLinks, WrittenDocument};
pub use selection::{Selected, SelectionWrite};
pub use transaction::TransactionOperation;

pub(crate) use writable::Writable;

use crate::read::{Acting, no_items};
use crate::resource::Resource;
pub(crate) use document::Target;
use violation::told;

/// How often a write is run again because somebody else has inserted what it was about to insert.
const RACES: usize = 2;

/// How a write is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteMode {
    /// Everything is done and then undone (`Prefer: tx=rollback`).
    pub dry_run: bool,
    /// Nothing is done: the answer is the plan.
    pub explain: bool,
}

/// A write of one document.
#[derive(Clone, Debug)]
pub struct DocumentWrite {
    /// The resource.
    pub resource: Arc<Resource>,
    /// What is done.
    pub operation: Operation,
    /// Under which conditions.
    pub conditions: Conditions,
    /// How.
    pub mode: WriteMode,
    /// Whether the caller may read the document; if not, nothing of it is compared or answered.
    pub may_read: bool,
    /// What the links of the answer are made of.
    pub links: OwnedLinks,
}

impl Acting<'_> {
    /// Writes one document. The answer is given only once it is stored.
    ///
    /// # Errors
    /// Whatever the body, the conditions, the shape's annotations or the database say; nothing is
    /// changed then.
    pub async fn write(&self, write: DocumentWrite) -> Result<Outcome> {
        let store = self.service().store().clone();
        if !write.may_read {
            return self.write_without_read(write, store).await;
        }
        self.write_as_told(write, store).await
    }

    async fn write_without_read(&self, write: DocumentWrite, store: Store) -> Result<Outcome> {
        if write.mode.explain {
            return Err(Error::internal("a plan for a caller who may not read"));
        }
        without_read::check(&write.resource, &write.operation, &write.conditions)?;
        self.write_as_told(write, store).await.map(without_read::withheld)
    }

    async fn write_as_told(&self, write: DocumentWrite, store: Store) -> Result<Outcome> {
        if write.mode == WriteMode::default() && !write.resource.inserts_only() {
            let target = target(&write, &store)?;
            let inserted = self.insert_row(&target, &write.operation).await;
            let inserted =
                inserted.map_err(|error| told(error, &write.resource, write.may_read))?;
            if let Some(outcome) = inserted {
                return Ok(outcome);
            }
        }
        let resource = Arc::clone(&write.resource);
        let replaces = matches!(write.operation, Operation::Replace { .. });
        let finds = |error: &Error| replaces && is_of_key(error, &resource);
        self.write_found(Arc::new(DocumentJob { store, write }), finds).await
    }

    /// Writes. What is not there when a document is looked for may be inserted by somebody else
    /// before this write does: `finds` says of an error that the write then finds it if it is run
    /// again. A value that another row has is there each time, so such a write runs once.
    pub(crate) async fn write_found<W: Write>(
        &self,
        job: Arc<W>,
        finds: impl Fn(&Error) -> bool,
    ) -> Result<W::Output> {
        let has_locks = self.service().store().dialect().row_lock().is_some();
        for _ in 0..if has_locks { RACES } else { 0 } {
            // Boxed, because the future of a write is large and is moved several times.
            match Box::pin(self.handle().write(Arc::clone(&job))).await {
                Err(error) if finds(&error) => {}
                ended => return ended,
            }
        }
        Box::pin(self.handle().write(job)).await
    }
}

/// Whether a row with the key of the document that was to be inserted is there already.
pub(crate) fn is_of_key(error: &Error, resource: &Resource) -> bool {
    let Some(violation) = error.violation.as_deref() else { return false };
    let columns = resource.shape.root().table.violated_columns(violation);
    let key = &resource.shape.key;
    error.code == Code::UniqueViolation
        && columns.len() == key.len()
        && columns.iter().all(|column| key.contains(column))
}

struct DocumentJob {
    store: Store,
    write: DocumentWrite,
}

impl Write for DocumentJob {
    type Output = Outcome;

    fn touches(&self) -> Option<u64> {
        let key = self.write.operation.key()?;
        let table = &writable(&self.write.resource).ok()?.shape.root().table;
        Some(document_key(&table.schema, &table.name, key))
    }

    async fn run<S: Session>(&self, session: &mut S) -> Result<Ending<Outcome>> {
        let write = &self.write;
        let written = if write.resource.inserts_only() {
            let how = (self.store.dialect(), write.mode.explain);
            keyless::write(session, &write.resource, &write.operation, how).await
        } else {
            let target = target(write, &self.store)?;
            target.write(session, &write.operation, &write.conditions).await
        };
        let outcome = written.map_err(|error| told(error, &write.resource, write.may_read))?;
        Ok(ending(write.mode, outcome))
    }
}

fn target<'a>(write: &'a DocumentWrite, store: &'a Store) -> Result<Target<'a>> {
    Ok(Target {
        resource: &write.resource,
        writable: writable(&write.resource)?,
        dialect: store.dialect(),
        links: &write.links,
        explain: write.mode.explain,
        tried: false,
        last: write.mode == WriteMode::default(),
    })
}

fn ending<T>(mode: WriteMode, outcome: T) -> Ending<T> {
    if mode.dry_run || mode.explain { Ending::Rollback(outcome) } else { Ending::Commit(outcome) }
}

/// What writing a resource needs.
pub(crate) fn writable(resource: &Resource) -> Result<&Writable> {
    match &resource.writable {
        Some(writable) => Ok(writable),
        None if !resource.has_items() => Err(no_items(resource)),
        None => Err(Error::new(Code::NotInsertable, format!("{} is read-only.", resource.name))),
    }
}
