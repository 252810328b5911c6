//! Batches: many new documents of one resource in one transaction, with a result for each.
//!
//! New rows of one table with values for the same columns are one statement, where the store has one that
//! identifies each row. Otherwise, and after it has failed, they are sent as one sequence of
//! statements. Where the database refuses one of them, the rows in front of it are inserted again and it
//! is left out, so savepoints are made only around operations that may be refused. Other documents are written one
//! by one, each in a savepoint.
//!
//! After a refusal fewer documents at a time are sent, so a batch without refusals has one
//! savepoint.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use duet_document::{BodyPurpose, PartsCheck, PlainRow, RowSet};
use duet_model::{Error, Result, Value};
use duet_store::{Call, Ending, InsertBatch, Records, Session, SharedStore, Write};
use duet_text::json::body::Body;

use crate::hosting::context::RequestContext;
use crate::resources::resource::Resource;
use crate::resources::violation::named;
use crate::write::client_error::client_error;
use crate::write::document::{DocumentOperation, DocumentTarget, OwnedLinks, WriteOutcome};
use crate::write::mode::{WriteMode, ending, writable};
use crate::write::notices::NoticeList;
use crate::write::once::{Once, WriteAnswer};
use crate::write::row::{NewRow, kept_out, new_row};
use crate::write::transaction::{LARGE, Numbering, TransactionOperation};
use crate::write::{Conditions, keyless, unseen, without_read};

/// New documents of one resource.
#[derive(Clone, Debug)]
pub struct BatchWrite {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The documents, or their mistakes.
    pub items: Vec<Result<NewItem>>,
    /// Whether one failure undoes all.
    pub atomic: bool,
    /// Whether everything is undone in the end.
    pub dry_run: bool,
    /// Whether the caller may read the documents.
    pub may_read: bool,
    /// What the links of the answer are made of.
    pub links: OwnedLinks,
}

/// New documents of a load, on their way into a transaction that others of it share.
pub(crate) struct LoadedDocuments<'w> {
    /// The store.
    pub(crate) store: &'w SharedStore,
    /// The resource.
    pub(crate) resource: &'w Arc<Resource>,
    /// Who writes them.
    pub(crate) author: Option<&'w Arc<str>>,
    /// Whether the database may hide the rows from those who add them.
    pub(crate) is_careful: bool,
    /// Whether the caller may read the documents.
    pub(crate) may_read: bool,
    /// With more refusals the outcomes are those until then.
    pub(crate) allowed: usize,
}

impl LoadedDocuments<'_> {
    /// Writes documents, together where they are rows of one table. The inner errors are those of single
    /// documents, which are left out.
    ///
    /// # Errors
    /// Whatever concerns all of them.
    pub(crate) async fn write(
        self,
        session: &mut dyn Session,
        bodies: impl Iterator<Item = Result<Body>>,
    ) -> Result<BatchOutcomes> {
        let (store, author) = (self.store.clone(), self.author.cloned());
        let write = BatchWrite {
            resource: Arc::clone(self.resource),
            items: Vec::new(),
            atomic: false,
            dry_run: false,
            may_read: self.may_read,
            links: OwnedLinks::default(),
        };
        let nothing = NoticeList::default();
        let target = target(&write, &store, author.as_ref(), false, &nothing);
        let item = |body: Result<Body>| {
            let item = body.and_then(|body| Item::of(&write, target.as_ref().ok(), body.into()));
            item.unwrap_or_else(|error| Item::Refused(Box::new(error)))
        };
        let items = bodies.map(item).collect();
        drop(target);
        let (numbering, allowed, is_careful) = (Numbering::Records, self.allowed, self.is_careful);
        let blind = AtomicBool::new(false);
        let job = BatchJob { store, write, author, items, is_careful, blind, numbering, allowed };
        job.outcomes(session).await
    }
}

/// A new document without mistakes of its own.
#[derive(Clone, Debug)]
pub struct NewItem {
    body: Body,
    /// Its row, where the check has read it.
    row: Option<PlainRow>,
}

impl From<Body> for NewItem {
    fn from(body: Body) -> Self {
        Self { body, row: None }
    }
}

/// Checks each document of an array separately, so that one with mistakes does not refuse the others.
/// Places of mistakes begin with the position of the document.
pub fn check_items(resource: &Resource, array: &Body) -> Vec<Result<NewItem>> {
    let checked = |(index, body): (usize, Body)| {
        if let Some(row) = resource.plain_row(&body) {
            return Ok(NewItem { body, row: Some(row) });
        }
        let mistakes = PartsCheck::default().check(&resource.shape, &body, BodyPurpose::New);
        let numbered = mistakes.into_iter().map(|error| Numbering::Elements.numbered(error, index));
        Error::all_of(numbered.collect()).map_or(Ok(body.into()), Err)
    };
    array.elements().enumerate().map(checked).collect()
}

impl RequestContext<'_> {
    /// Makes documents, and gives the outcome of each in its order. An atomic batch makes all of them or
    /// none; any other leaves out those that are refused.
    ///
    /// # Errors
    /// For an atomic batch the first failure, whose place begins with the position of the document.
    /// Otherwise what concerns no single document: the database cannot be reached, a time limit.
    pub async fn write_batch(
        &self,
        write: BatchWrite,
        once: Option<Once<BatchOutcomes>>,
    ) -> Result<WriteAnswer<BatchOutcomes>> {
        self.write_once(self.batch_job(write)?, once, &|_| false).await
    }

    /// Makes several documents of one resource. One failure undoes all; its place begins with the
    /// position of the document in the array. New ones are sent as a batch, together where the store can.
    ///
    /// # Errors
    /// Whatever a document says.
    pub async fn create_all(
        &self,
        operations: Vec<TransactionOperation>,
        mode: WriteMode,
        once: Option<Once<Vec<WriteOutcome>>>,
    ) -> Result<WriteAnswer<Vec<WriteOutcome>>> {
        // Where the database may hide some of the rows, each is inserted and then read.
        let has_role = self.identity().is_some();
        let is_shown = |batch: &BatchWrite| !unseen::may_be_hidden(&batch.resource, has_role);
        let Some(batch) = batch_of(&operations, mode).filter(is_shown) else {
            return self.write_all(operations, mode, Numbering::Elements, once).await;
        };
        self.write_once(WholeBatch(self.batch_job(batch)?), once, &|_| false).await
    }

    /// Reads the documents of a batch.
    fn batch_job(&self, mut write: BatchWrite) -> Result<BatchJob> {
        let given = std::mem::take(&mut write.items);
        let store = self.service().store().clone();
        let author = self.author(&write.resource);
        let nothing = NoticeList::default();
        let target = target(&write, &store, author.as_ref(), false, &nothing);
        let mut items = Vec::with_capacity(given.len());
        for (index, item) in given.into_iter().enumerate() {
            let read = item.and_then(|item| {
                let item = Item::of(&write, target.as_ref().ok(), item);
                item.map_err(|error| Numbering::Elements.numbered(error, index))
            });
            items.push(match read {
                Err(error) if write.atomic => return Err(Numbering::Elements.undone(error)),
                Err(error) => Item::Refused(Box::new(error)),
                Ok(item) => item,
            });
        }
        drop(target);
        let is_careful = unseen::may_be_hidden(&write.resource, self.identity().is_some());
        let (blind, numbering, allowed) = (AtomicBool::new(false), Numbering::Elements, usize::MAX);
        Ok(BatchJob { store, write, author, items, is_careful, blind, numbering, allowed })
    }
}

/// The batch that operations are, where each makes a document of the same resource whatever is stored.
fn batch_of(operations: &[TransactionOperation], mode: WriteMode) -> Option<BatchWrite> {
    let TransactionOperation { resource, may_read, links, .. } = operations.first()?;
    let new = |one: &TransactionOperation| match &one.operation {
        DocumentOperation::Create { body } if one.conditions == Conditions::default() => {
            Arc::ptr_eq(&one.resource, resource).then(|| Ok(body.clone().into()))
        }
        _ => None,
    };
    let items = operations.iter().map(new).collect::<Option<_>>()?;
    (!mode.explain).then(|| BatchWrite {
        resource: Arc::clone(resource),
        items,
        atomic: true,
        dry_run: mode.dry_run,
        may_read: *may_read,
        links: links.clone(),
    })
}

fn target<'a>(
    write: &'a BatchWrite,
    store: &'a SharedStore,
    author: Option<&'a Arc<str>>,
    blind: bool,
    notices: &'a NoticeList<'a>,
) -> Result<DocumentTarget<'a>> {
    Ok(DocumentTarget {
        resource: &write.resource,
        writable: writable(&write.resource)?,
        dialect: store.dialect(),
        links: &write.links,
        author,
        explain: false,
        tried: false,
        last: false,
        blind,
        notices,
    })
}

/// A document, ready to be written.
enum Item {
    /// It is wrong, whatever is stored.
    Refused(Box<Error>),
    /// A row of a table.
    Row(NewRow),
    /// Any other document.
    Document(DocumentOperation),
}

impl Item {
    /// `target` is `None` if the resource takes only inserts.
    fn of(write: &BatchWrite, target: Option<&DocumentTarget<'_>>, item: NewItem) -> Result<Self> {
        let NewItem { body, row } = item;
        let operation = DocumentOperation::Create { body };
        if !write.may_read {
            without_read::check(&write.resource, &operation, &Conditions::default())?;
        }
        let row = match target {
            // SQLite says when a row was inserted apart from the statement that inserts it.
            Some(target) if !target.writable.shape.metadata => new_row(target, &operation, row)?,
            _ => None,
        };
        Ok(row.map_or(Self::Document(operation), Self::Row))
    }
}

struct BatchJob {
    store: SharedStore,
    write: BatchWrite,
    author: Option<Arc<str>>,
    items: Vec<Item>,
    /// Whether the database may hide the rows from those who add them.
    is_careful: bool,
    /// Whether it has done so: nothing is read back from then on.
    blind: AtomicBool,
    /// How errors are placed.
    numbering: Numbering,
    /// With more refusals it ends, and the outcomes are those until then.
    allowed: usize,
}

/// What became of each document of a batch, in their order.
pub type BatchOutcomes = Vec<Result<WriteOutcome>>;

/// Rows that were not inserted: the one that was refused, where the database names it, and why.
struct Stopped {
    row: Option<usize>,
    error: Error,
}

#[async_trait(?Send)]
impl Write for BatchJob {
    type Output = BatchOutcomes;

    fn is_large(&self) -> bool {
        self.items.len() > LARGE
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<BatchOutcomes>> {
        let outcomes = self.outcomes(session).await?;
        let mode = WriteMode { dry_run: self.write.dry_run, explain: false };
        Ok(ending(mode, outcomes))
    }
}

impl BatchJob {
    /// Writes the documents within the transaction of a session.
    async fn outcomes(&self, session: &mut dyn Session) -> Result<BatchOutcomes> {
        let notices = NoticeList::default();
        let mut outcomes = BatchOutcomes::with_capacity(self.items.len());
        while let Some(item) = self.items.get(outcomes.len()).filter(|_| !self.is_over(&outcomes)) {
            let at = outcomes.len();
            match item {
                Item::Refused(error) => outcomes.push(Err((**error).clone())),
                Item::Row(_) => {
                    let rows = self.items[at..].iter();
                    let count = rows.take_while(|item| matches!(item, Item::Row(_))).count();
                    self.rows(session, at + count, &mut outcomes).await?;
                }
                Item::Document(operation) => {
                    let outcome = self.document(session, operation, &notices).await?;
                    outcomes.push(outcome.map_err(|error| self.element_error(error, at)));
                }
            }
            if self.write.atomic
                && let Some(error) = outcomes[at..].iter().find_map(|one| one.as_ref().err())
            {
                return Err(Numbering::Elements.undone(error.clone()));
            }
        }
        notices.record(session, self.store.dialect()).await?;
        Ok(outcomes)
    }

    /// Whether more are refused than may be.
    fn is_over(&self, outcomes: &BatchOutcomes) -> bool {
        self.allowed < outcomes.len()
            && outcomes.iter().filter(|outcome| outcome.is_err()).count() > self.allowed
    }
}

/// A batch of which one failure undoes all: its outcomes are those of documents that were made.
struct WholeBatch(BatchJob);

#[async_trait(?Send)]
impl Write for WholeBatch {
    type Output = Vec<WriteOutcome>;

    fn is_large(&self) -> bool {
        self.0.is_large()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<WriteOutcome>>> {
        let ending = self.0.run(session).await?;
        Ok(ending.map(|outcomes| outcomes.into_iter().filter_map(Result::ok).collect()))
    }
}

impl BatchJob {
    /// Inserts the rows up to `end`, at first all together. After a refusal fewer rows are tried at a time, so
    /// that the work grows with the number of rows, however many of them are refused.
    async fn rows(
        &self,
        session: &mut dyn Session,
        end: usize,
        outcomes: &mut BatchOutcomes,
    ) -> Result<()> {
        let mut size = end - outcomes.len();
        let mut refused: Option<(usize, Error)> = None;
        while outcomes.len() < end && !self.is_over(outcomes) {
            let at = outcomes.len();
            if let Some((_, error)) = refused.take_if(|(row, _)| *row == at) {
                outcomes.push(Err(error));
                continue;
            }
            let until = refused.as_ref().map_or(end.min(at + size), |(row, _)| *row);
            match self.attempt(session, at..until).await? {
                Ok(inserted) => {
                    outcomes.extend(inserted);
                    size = size.saturating_mul(2);
                }
                Err(Stopped { row, error }) => {
                    let row = row.or((until - at == 1).then_some(at));
                    refused = row.map(|row| (row, self.element_error(error, row)));
                    if self.write.atomic {
                        // What is in front of it is undone as well.
                        outcomes.extend(refused.take().map(|(_, error)| Err(error)));
                        return Ok(());
                    }
                    size = (until - at).div_ceil(2);
                }
            }
        }
        Ok(())
    }

    /// Inserts some rows: all of them, or none. Where the database lets them be added and not seen, nothing is read
    /// back.
    async fn attempt(
        &self,
        session: &mut dyn Session,
        range: Range<usize>,
    ) -> Result<Result<BatchOutcomes, Stopped>> {
        let attempted = self.attempt_once(session, range.clone()).await?;
        match attempted {
            Err(Stopped { error, .. }) if self.turns_blind(&error) => {
                self.attempt_once(session, range).await
            }
            attempted => Ok(attempted),
        }
    }

    fn is_blind(&self) -> bool {
        self.blind.load(Ordering::Relaxed)
    }

    /// Whether an insert is to be tried again without reading back, after what came before it was undone.
    fn turns_blind(&self, error: &Error) -> bool {
        self.is_careful && unseen::may_help(error) && !self.blind.swap(true, Ordering::Relaxed)
    }

    /// Whether a refusal undoes less than the transaction.
    fn has_savepoint(&self) -> bool {
        !self.write.atomic || self.is_careful
    }

    async fn attempt_once(
        &self,
        session: &mut dyn Session,
        range: Range<usize>,
    ) -> Result<Result<BatchOutcomes, Stopped>> {
        let rows: Vec<&NewRow> = self.items[range.clone()].iter().filter_map(Item::row).collect();
        let is_blind = self.is_blind();
        if let Some(insert) = common_insert(&rows)
            && !is_blind
            && session.takes_rows(insert)
        {
            let values: Vec<&[Value]> = rows.iter().map(|row| &row.values[..]).collect();
            // After an error the store runs the whole batch again, without this.
            let sets = session.insert_rows(insert, &values).await?;
            return Ok(Ok(self.inserted(&rows, sets, range)));
        }
        let shape = &self.write.resource.shape;
        if self.has_savepoint() {
            session.savepoint().await?;
        }
        let error = match self.sent(session, &rows).await {
            Ok(sets) => {
                if self.has_savepoint() {
                    session.release_savepoint().await?;
                }
                if is_blind {
                    return Ok(Ok(rows.iter().map(|_| Ok(WriteOutcome::Added)).collect()));
                }
                return Ok(Ok(self.inserted(&rows, sets, range)));
            }
            Err(error) if error.code.is_row_error() || unseen::may_help(&error) => error,
            Err(error) => return Err(error),
        };
        if self.has_savepoint() {
            session.rollback_to_savepoint().await?;
        }
        let call = error.violation.as_ref().and_then(|violation| violation.call);
        let found = call.and_then(|call| Some((call, rows.get(call)?)));
        let row = found.map(|(call, _)| range.start + call);
        let about = found.map(|(_, row)| row.about());
        Ok(Err(Stopped { row, error: named(error, shape, about.as_ref()) }))
    }

    /// Sends rows, which may be of several inserts; the row that comes back for each, if any does.
    async fn sent(&self, session: &mut dyn Session, rows: &[&NewRow]) -> Result<Vec<RowSet>> {
        let is_blind = self.is_blind();
        if let Some(insert) = common_insert(rows).filter(|_| !is_blind) {
            let values: Vec<&[Value]> = rows.iter().map(|row| &row.values[..]).collect();
            return session.run_rows(insert, &values).await;
        }
        let records = session.records() != Records::Nothing;
        let shape = &self.write.resource.shape;
        let call = |row: &&NewRow| match is_blind {
            true => row.unseen(shape, self.store.dialect()),
            false => row.insert.call(row.values.clone(), records),
        };
        let calls: Vec<Call> = rows.iter().map(call).collect();
        Ok(session.run(&calls).await?.into_iter().map(|done| done.rows).collect())
    }

    /// The outcomes of rows that were sent, by their returned rows.
    fn inserted(&self, rows: &[&NewRow], sets: Vec<RowSet>, range: Range<usize>) -> BatchOutcomes {
        let each = rows.iter().zip(sets).zip(range);
        let shown = each.map(|((row, set), index)| {
            self.shown(&row.insert, set).map_err(|error| self.element_error(error, index))
        });
        shown.collect()
    }

    /// The outcome of a row that was sent.
    fn shown(&self, insert: &InsertBatch, rows: RowSet) -> Result<WriteOutcome> {
        let nothing = NoticeList::default();
        let target = target(&self.write, &self.store, self.author.as_ref(), false, &nothing)?;
        let document = target.answer(&insert.answer(rows))?;
        let document = document.ok_or_else(|| kept_out(&self.write.resource))?;
        Ok(self.seen(WriteOutcome::Created(Some(document))))
    }

    /// Writes one document; the inner error leaves the transaction as it was before.
    async fn document<'a>(
        &'a self,
        session: &mut dyn Session,
        operation: &DocumentOperation,
        notices: &'a NoticeList<'a>,
    ) -> Result<Result<WriteOutcome>> {
        if self.has_savepoint() {
            session.savepoint().await?;
        }
        let is_insert = unseen::is_insert(&self.write.resource, operation);
        let mut created = self.create(session, operation, notices).await;
        if let Err(error) = &created
            && is_insert
            && self.turns_blind(error)
        {
            session.rollback_to_savepoint().await?;
            session.savepoint().await?;
            created = self.create(session, operation, notices).await;
        }
        match created {
            Ok(outcome) => {
                if self.has_savepoint() {
                    session.release_savepoint().await?;
                }
                Ok(Ok(self.seen(outcome)))
            }
            Err(error) if self.write.atomic => Ok(Err(error)),
            Err(error) if (400..500).contains(&error.code.status()) => {
                session.rollback_to_savepoint().await?;
                Ok(Err(error))
            }
            Err(error) => Err(error),
        }
    }

    async fn create<'a>(
        &'a self,
        session: &mut dyn Session,
        operation: &DocumentOperation,
        notices: &'a NoticeList<'a>,
    ) -> Result<WriteOutcome> {
        let BatchWrite { resource, .. } = &self.write;
        if resource.inserts_only() {
            let (dialect, mode) = (self.store.dialect(), WriteMode::default());
            let blind = self.is_blind();
            return keyless::write(session, resource, operation, dialect, mode, blind).await;
        }
        let (author, blind) = (self.author.as_ref(), self.is_blind());
        let target = target(&self.write, &self.store, author, blind, notices)?;
        target.write_locked(session, operation, None, None).await
    }

    /// What the caller may see of an outcome.
    fn seen(&self, outcome: WriteOutcome) -> WriteOutcome {
        if self.write.may_read { outcome } else { without_read::withheld(outcome) }
    }

    /// The error of the response, with the position of the document.
    fn element_error(&self, error: Error, index: usize) -> Error {
        let error = client_error(error, &self.write.resource, self.write.may_read);
        self.numbering.numbered(error, index)
    }
}

/// The insert of several rows, if it is the same for all of them.
fn common_insert<'r>(rows: &[&'r NewRow]) -> Option<&'r InsertBatch> {
    let (first, others) = rows.split_first().filter(|(_, others)| !others.is_empty())?;
    let is_same = |other: &&NewRow| other.insert.id == first.insert.id;
    others.iter().all(is_same).then_some(&*first.insert)
}

impl Item {
    fn row(&self) -> Option<&NewRow> {
        match self {
            Self::Row(row) => Some(row),
            Self::Refused(_) | Self::Document(_) => None,
        }
    }
}
