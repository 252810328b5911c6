//! Several documents in one transaction: all of them locked and compared with their etags before the
//! first is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use duet_model::{Error, Result, Value};
use duet_store::{Ending, Session, SharedStore, Write};
use duet_text::error::Place;

use crate::hosting::context::RequestContext;
use crate::resources::placements;
use crate::resources::resource::Resource;
use crate::resources::writable::StoredDocument;
use crate::write::client_error::client_error;
use crate::write::conditions::Conditions;
use crate::write::document::{DocumentOperation, DocumentTarget, OwnedLinks, WriteOutcome};
use crate::write::mode::{WriteMode, ending, is_of_key, writable};
use crate::write::notices::NoticeList;
use crate::write::once::{Once, WriteAnswer};
use crate::write::{keyless, unseen, without_read};

/// One operation of a transaction.
#[derive(Clone, Debug)]
pub struct TransactionOperation {
    /// The resource.
    pub resource: Arc<Resource>,
    /// What is done.
    pub operation: DocumentOperation,
    /// Its condition: etags are compared with the state before the first operation, and `*` against
    /// that before this one, so that it holds for what an earlier operation has made.
    pub conditions: Conditions,
    /// Whether the caller may read the document.
    pub may_read: bool,
    /// What the links of the answer are made of.
    pub links: OwnedLinks,
}

impl RequestContext<'_> {
    /// Carries out operations in their order. One failure undoes all; its place begins with the
    /// position of the operation.
    ///
    /// # Errors
    /// Whatever an operation says.
    pub async fn write_transaction(
        &self,
        operations: Vec<TransactionOperation>,
        mode: WriteMode,
        once: Option<Once<Vec<WriteOutcome>>>,
    ) -> Result<WriteAnswer<Vec<WriteOutcome>>> {
        self.write_all(operations, mode, Numbering::Operations, once).await
    }

    /// Carries out operations; `numbering` says how their errors are placed.
    ///
    /// # Errors
    /// Whatever an operation says.
    pub(crate) async fn write_all(
        &self,
        operations: Vec<TransactionOperation>,
        mode: WriteMode,
        numbering: Numbering,
        once: Option<Once<Vec<WriteOutcome>>>,
    ) -> Result<WriteAnswer<Vec<WriteOutcome>>> {
        let store = self.service().store().clone();
        for (index, operation) in operations.iter().enumerate().filter(|(_, one)| !one.may_read) {
            let TransactionOperation { resource, operation, conditions, .. } = operation;
            let checked = without_read::check(resource, operation, conditions);
            checked.map_err(|error| numbering.place(error, index))?;
        }
        let replaced: Vec<_> = (operations.iter().filter(|one| replaces(one)))
            .map(|operation| Arc::clone(&operation.resource))
            .collect();
        let author = operations.iter().find_map(|one| self.author(&one.resource));
        let finds = |error: &Error| replaced.iter().any(|resource| is_of_key(error, resource));
        let has_role = self.identity().is_some();
        let may_be_unseen = !mode.explain
            && operations.iter().all(|one| unseen::is_insert(&one.resource, &one.operation))
            && operations.iter().any(|one| unseen::may_be_hidden(&one.resource, has_role));
        let job = |operations, blind| TransactionJob {
            store: store.clone(),
            operations,
            author: author.clone(),
            mode,
            numbering,
            blind,
        };
        if !may_be_unseen {
            return self.write_once(job(operations, false), once, &finds).await;
        }
        let again = operations.clone();
        match self.write_once(job(operations, false), once.clone(), &finds).await {
            Err(error) if unseen::may_help(&error) => {
                self.write_once(job(again, true), once, &finds).await
            }
            written => written,
        }
    }
}

/// Whether an operation finds a document that another client has inserted, if it is run again.
fn replaces(operation: &TransactionOperation) -> bool {
    matches!(operation.operation, DocumentOperation::Replace { .. })
}

/// What the body of the request is an array of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// Operations, each with a body.
    Operations,
    /// Documents.
    Elements,
    /// Documents whose places have another form.
    Records,
}

/// Transactions of more operations are large; see [`Write::is_large`].
pub(crate) const LARGE: usize = 25;

struct TransactionJob {
    store: SharedStore,
    operations: Vec<TransactionOperation>,
    author: Option<Arc<str>>,
    mode: WriteMode,
    numbering: Numbering,
    /// Whether new rows are not read back.
    blind: bool,
}

#[async_trait(?Send)]
impl Write for TransactionJob {
    type Output = Vec<WriteOutcome>;

    fn is_large(&self) -> bool {
        self.operations.len() > LARGE
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<WriteOutcome>>> {
        self.lock_and_compare(session).await?;
        let notices = NoticeList::default();
        let mut outcomes = Vec::with_capacity(self.operations.len());
        for (index, operation) in self.operations.iter().enumerate() {
            let outcome = self.one(session, operation, &notices).await;
            let TransactionOperation { resource, may_read, .. } = operation;
            let outcome = outcome.map_err(|error| {
                self.numbering.place(client_error(error, resource, *may_read), index)
            })?;
            outcomes.push(match operation.may_read {
                true => outcome,
                false => without_read::withheld(outcome),
            });
        }
        notices.record(session, self.store.dialect()).await?;
        Ok(ending(self.mode, outcomes))
    }
}

impl TransactionJob {
    fn target<'a>(
        &'a self,
        operation: &'a TransactionOperation,
        notices: &'a NoticeList<'a>,
    ) -> Result<DocumentTarget<'a>> {
        Ok(DocumentTarget {
            resource: &operation.resource,
            writable: writable(&operation.resource)?,
            dialect: self.store.dialect(),
            links: &operation.links,
            author: self.author.as_ref(),
            explain: self.mode.explain,
            tried: true,
            last: false,
            blind: self.blind,
            notices,
        })
    }

    /// Locks all documents, those of one resource in the order of their keys, then holds every
    /// condition against them.
    async fn lock_and_compare(&self, session: &mut dyn Session) -> Result<()> {
        let mut by_resource: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, operation) in self.operations.iter().enumerate() {
            if operation.operation.key().is_some() {
                by_resource.entry(&operation.resource.name).or_default().push(index);
            }
        }
        for indexes in by_resource.values() {
            let nothing = NoticeList::default();
            let target = self.target(&self.operations[indexes[0]], &nothing)?;
            let mut keys: Vec<(String, Vec<Value>)> = indexes
                .iter()
                .filter_map(|&index| self.operations[index].operation.key())
                .map(|key| (sort_text(key), key.clone()))
                .collect();
            keys.sort_by(|a, b| a.0.cmp(&b.0));
            keys.dedup_by(|a, b| a.0 == b.0);
            let (names, keys): (Vec<String>, Vec<Vec<Value>>) = keys.into_iter().unzip();
            let stored = target.locked(session, &keys).await;
            let stored = stored.map_err(|error| placements::named(error, target.resource))?;
            for &index in indexes {
                let operation = &self.operations[index];
                let name = operation.operation.key().map(|key| sort_text(key)).unwrap_or_default();
                let at = names.binary_search(&name).unwrap_or_default();
                self.compare(operation, stored[at].as_ref())
                    .map_err(|error| self.numbering.place(error, index))?;
            }
        }
        Ok(())
    }

    /// Checks the conditions of an operation, in its body too, against the stored document.
    fn compare(
        &self,
        operation: &TransactionOperation,
        stored: Option<&StoredDocument>,
    ) -> Result<()> {
        let etag = stored.map(|stored| stored.etag);
        let mut conditions = operation.conditions.clone();
        if etag.is_none() && conditions.asks_for_any() {
            conditions.if_match = None;
        }
        match &operation.operation {
            DocumentOperation::Replace { body, .. } | DocumentOperation::Patch { body, .. } => {
                let body = body.json();
                let own = writable(&operation.resource)?.has_metadata();
                conditions.check(etag, Some(&body).filter(|_| own))
            }
            _ => conditions.check(etag, None),
        }
    }

    async fn one<'a>(
        &'a self,
        session: &mut dyn Session,
        operation: &'a TransactionOperation,
        notices: &'a NoticeList<'a>,
    ) -> Result<WriteOutcome> {
        if operation.resource.inserts_only() {
            let (resource, dialect) = (&operation.resource, self.store.dialect());
            let operation = &operation.operation;
            return keyless::write(session, resource, operation, dialect, self.mode, self.blind)
                .await;
        }
        let target = self.target(operation, notices)?;
        let now = match operation.operation.key() {
            None => None,
            Some(key) => target.current(session, key).await?,
        };
        operation.conditions.check_presence(now.is_some())?;
        target.write_locked(session, &operation.operation, now.as_ref(), None).await
    }
}

/// A text that distinguishes keys, numbers in their order.
fn sort_text(key: &[Value]) -> String {
    let part = |value: &Value| match value {
        Value::Int(value) => format!("{:020}", i128::from(*value) - i128::from(i64::MIN)),
        other => format!("{other:?}"),
    };
    key.iter().map(part).collect::<Vec<_>>().join("\u{1}")
}

const NOTHING: &str = "Nothing was changed.";

impl Numbering {
    /// Puts the position of an operation or a document in front of the place of its error.
    /// It says that nothing was changed.
    pub(crate) fn place(self, error: Error, index: usize) -> Error {
        self.undone(self.numbered(error, index))
    }

    /// The same if the others were changed anyway.
    pub(crate) fn numbered(self, mut error: Error, index: usize) -> Error {
        if self == Self::Records {
            return error;
        }
        let pointer = match error.place.take() {
            Some(Place::Pointer(pointer)) => Some(pointer),
            _ => None,
        };
        let place = match (self, pointer) {
            (Self::Operations, Some(pointer)) => format!("/{index}/body{pointer}"),
            (Self::Elements | Self::Records, Some(pointer)) => format!("/{index}{pointer}"),
            (_, None) => format!("/{index}"),
        };
        if self == Self::Operations {
            error.message = format!("Operation {index}: {}", error.message);
        }
        error.at(Place::Pointer(place))
    }

    /// The same of all mistakes of an element.
    pub(crate) fn numbered_all(self, error: Error, index: usize) -> Error {
        let error = error.map_others(|other| self.numbered(other, index));
        self.numbered(error, index)
    }

    /// Says that nothing was changed.
    pub(crate) fn undone(self, mut error: Error) -> Error {
        if !error.message.contains(NOTHING) {
            error.message = format!("{} {NOTHING}", error.message);
        }
        error
    }
}
