//! How a write ends, and how often it is run.

use std::sync::Arc;

use duet_model::{Code, Error, Result};
use duet_store::{Ending, Write};

use crate::hosting::context::RequestContext;
use crate::read::pages::no_items;
use crate::resources::resource::Resource;
use crate::resources::writable::Writable;

/// How often a write is run again because another client has inserted the same document.
const RACES: usize = 2;

/// How a write is performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteMode {
    /// Everything is done and then undone (`Prefer: tx=rollback`).
    pub dry_run: bool,
    /// The answer is the plan. Nothing is done, except in a dry run, which also carries it out and undoes it.
    pub explain: bool,
}

impl WriteMode {
    /// Whether the plan is the answer, and it is carried out all the same.
    pub(crate) fn tries_plan(self) -> bool {
        self.explain && self.dry_run
    }
}

impl RequestContext<'_> {
    /// Writes. A document that is absent at the look-up may be inserted by another client
    /// before this write does: `finds` says of an error that the write then finds it if it is run
    /// again. A value of another row is found each time, so such a write runs once.
    pub(crate) async fn write_found<W: Write>(
        &self,
        job: Arc<W>,
        finds: &dyn Fn(&Error) -> bool,
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

/// Whether a row with the key of the document to insert exists already.
pub(crate) fn is_of_key(error: &Error, resource: &Resource) -> bool {
    let Some(violation) = error.violation.as_deref() else { return false };
    let columns = resource.shape.root().table.violated_columns(violation);
    let key = &resource.shape.key;
    error.code == Code::UniqueViolation
        && columns.len() == key.len()
        && columns.iter().all(|column| key.contains(column))
}

/// The end of a transaction with this outcome.
pub(crate) fn ending<T>(mode: WriteMode, outcome: T) -> Ending<T> {
    match mode {
        WriteMode { dry_run: true, .. } => Ending::DryRun(outcome),
        WriteMode { explain: true, .. } => Ending::Rollback(outcome),
        _ => Ending::Commit(outcome),
    }
}

/// What writing a resource needs.
pub(crate) fn writable(resource: &Resource) -> Result<&Writable> {
    match resource.writable() {
        Some(writable) => Ok(writable),
        None if !resource.has_items() => Err(no_items(resource)),
        None => Err(Error::new(Code::NotInsertable, format!("{} is read-only.", resource.name))),
    }
}
