//! Bulk loads: a body of rows goes into a table, batch by batch, while it arrives.
//!
//! While one batch is written the next one is read: two batches and a chunk are in memory, whatever
//! the length of the body, and a client that sends faster than the database takes has to wait. A load
//! in one transaction into a store with one writer is read to its end first ([`spool`]).

mod documents;
mod options;
mod report;
mod source;
mod spool;

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_document::bulk::{
    Batch, Gather, Group, Intake, IntakeLimits, LoadTable, RefusedRow, RowPosition,
};
use duet_model::catalog::Index;
use duet_model::{Code, Error, Result};
use duet_store::bulk::{BulkLoad, LoadTurn, Plan};
use duet_text::error;
use duet_text::problem::quoted;

pub use duet_store::bulk::Clear;
pub use options::{BodyForm, LoadOptions, ReportForm};
pub use report::LoadReport;
pub use source::BodyChunks;

use crate::hosting::context::RequestContext;
use crate::resources::resource::{Resource, ResourceKind};
use source::{BodyReader, End, FilledBatch};

/// Where batches go.
trait Sink {
    /// What batches hold.
    type Rows;

    /// Writes a batch, and answers which rows are refused; where they are more than `allowed`, the
    /// load is over.
    async fn batch(&mut self, batch: Batch<Self::Rows>, allowed: u64) -> Result<Vec<RefusedRow>>;

    /// Checks what the commit of a dry run would check.
    async fn check(&mut self) -> Result<()>;

    /// Commits the rows written so far.
    async fn commit(&mut self) -> Result<()>;

    /// Undoes the rest, and answers the last row that is permanent.
    async fn end(self) -> RowPosition;
}

impl Sink for Box<dyn BulkLoad> {
    type Rows = Vec<Group>;

    async fn batch(&mut self, batch: Batch, allowed: u64) -> Result<Vec<RefusedRow>> {
        (**self).batch(batch, allowed).await
    }

    async fn check(&mut self) -> Result<()> {
        (**self).check().await
    }

    async fn commit(&mut self) -> Result<()> {
        (**self).commit().await
    }

    async fn end(self) -> RowPosition {
        BulkLoad::end(self).await
    }
}

/// Rows of a table in a batch where the request does not say.
const BATCH_ROWS: usize = 5_000;

impl Resource {
    /// Whether rows or documents may be loaded into it in bulk.
    pub fn takes_loads(&self) -> bool {
        let root = self.shape.root();
        match self.kind {
            ResourceKind::Table => root.operations.insert && !root.table.withheld.insert,
            ResourceKind::DualityView | ResourceKind::Collection => {
                self.is_writable() && self.takes_inserts()
            }
            ResourceKind::View | ResourceKind::Service => false,
        }
    }
}

impl RequestContext<'_> {
    /// Loads a body into a table or a duality view. Dropping the future leaves only whole
    /// transactions written.
    ///
    /// # Errors
    /// Where nothing was done: the resource takes no loads, the first line does not fit, the
    /// database cannot be reached. Also if the body was truncated: there is no client left for a report of
    /// committed rows. The report has all other errors.
    pub async fn load<B: BodyChunks>(
        &self,
        resource: &Arc<Resource>,
        options: LoadOptions,
        body: &mut B,
    ) -> Result<LoadReport> {
        if !resource.takes_loads() {
            let message = format!("{} takes no bulk loads.", resource.name);
            return Err(Error::new(Code::LoadNotOffered, message));
        }
        let turn = self.handle().load_turn().await?;
        match resource.kind {
            ResourceKind::Table => self.load_rows(resource, options, body, &turn).await,
            _ => self.load_documents(resource, options, body).await,
        }
    }

    async fn load_rows<B: BodyChunks>(
        &self,
        resource: &Resource,
        options: LoadOptions,
        body: &mut B,
        turn: &LoadTurn,
    ) -> Result<LoadReport> {
        let key = key(resource, options.upsert)?;
        let target = Arc::new(LoadTable::new(&resource.shape, &key));
        let limits = IntakeLimits {
            record_bytes: options.row_bytes,
            batch_rows: options.batch_rows.unwrap_or(BATCH_ROWS),
            ..IntakeLimits::default()
        };
        let intake = Intake::new(options.form.clone(), Arc::clone(&target), limits);
        let mut source = BodyReader::new(body, intake);
        let first = source.first().await?;
        let whole = options.batches_per_commit == 0;
        let too_many = options.errors.is_some_and(|most| first.batch.refused.len() as u64 > most);
        if whole && first.end.is_none() && !too_many && self.service().store().has_one_writer() {
            source.wait_for_all(self.service().write_limits().load_memory).await?;
        }
        let plan = Plan {
            table: Arc::clone(&resource.shape.root().table),
            target,
            key,
            clear: options.clear,
            whole,
            raised_messages: resource.raised_messages,
        };
        let mut load = self.service().store().bulk_load(self.identity(), plan).await?;
        load.hold(turn);
        let run = Run::new(load, options.batches_per_commit, &options);
        run.until_end(source, first).await
    }
}

/// The columns by which rows replace others.
fn key(resource: &Resource, upsert: bool) -> Result<Vec<usize>> {
    match (upsert, resource.shape.key.is_empty()) {
        (false, _) => Ok(Vec::new()),
        (true, false) => arbiter(resource).map(|()| resource.shape.key.clone()),
        (true, true) => {
            let message =
                format!("{} has no key by which rows could replace others.", resource.name);
            Err(Error::new(Code::BadParameter, message)
                .at(error::Place::Parameter("upsert".to_owned())))
        }
    }
}

/// Refuses a key that the database does not check, or that PostgreSQL may check later than at once: there is no
/// `ON CONFLICT` for such.
fn arbiter(resource: &Resource) -> Result<()> {
    let table = &resource.shape.root().table;
    if !table.checks_key(&resource.shape.key) {
        let message = format!(
            "Rows cannot replace others of {} by their key: the application alone declares it, and the database does not check it.",
            resource.name
        );
        let place = error::Place::Parameter("upsert".to_owned());
        let hint = "Load without `upsert`, or let the operator make a unique index on the key.";
        return Err(Error::new(Code::BadParameter, message).at(place).hint(hint));
    }
    let indexes = &table.indexes;
    let key: BTreeSet<usize> = resource.shape.key.iter().copied().collect();
    let is_key = |index: &&Index| {
        index.unique && index.columns.iter().copied().collect::<BTreeSet<_>>() == key
    };
    let mut of_key = indexes.iter().filter(is_key);
    let Some(deferrable) = of_key.clone().find(|index| index.deferrable) else { return Ok(()) };
    if of_key.any(|index| !index.deferrable) {
        return Ok(());
    }
    let message = format!(
        "Rows cannot replace others of {} by their key: its constraint {} is deferrable, and PostgreSQL upserts by constraints alone that it checks at once.",
        resource.name,
        quoted(&deferrable.name)
    );
    Err(Error::new(Code::BadParameter, message)
        .at(error::Place::Parameter("upsert".to_owned()))
        .hint("Load without `upsert`, or let the operator make the constraint NOT DEFERRABLE."))
}

/// A load and its state.
struct Run<S> {
    sink: S,
    batches_per_commit: u64,
    errors: Option<u64>,
    /// Whether there is something to do without a row.
    clears: bool,
    dry_run: bool,
    batches: u64,
    /// The last line that was read.
    line: u64,
    report: LoadReport,
}

/// Why a load does not go on.
enum Stop {
    /// For a reason that the report gives, on a line.
    Told(u64, Error),
    /// The body was truncated: there is no client left for a report.
    Broken(Error),
}

impl<S: Sink> Run<S> {
    fn new(sink: S, batches_per_commit: u64, options: &LoadOptions) -> Self {
        let dry_run = options.dry_run;
        Self {
            sink,
            batches_per_commit,
            errors: options.errors,
            clears: options.clear != Clear::No,
            dry_run,
            batches: 0,
            line: 0,
            report: LoadReport { dry_run, ..LoadReport::default() },
        }
    }

    async fn until_end<B: BodyChunks, G: Gather<Rows = S::Rows> + Send + 'static>(
        mut self,
        mut source: BodyReader<'_, B, G>,
        first: FilledBatch<S::Rows>,
    ) -> Result<LoadReport> {
        let stopped = self.batches(&mut source, first).await.err();
        let committed = self.sink.end().await;
        match stopped {
            // Nothing was done: no report says more than the error itself.
            Some(Stop::Told(_, error)) if committed.row == 0 && says_all(&error) => Err(error),
            Some(Stop::Broken(error)) => {
                let row = committed.row;
                tracing::debug!(row, "a bulk load broke off; it is committed up to this row");
                Err(error)
            }
            Some(Stop::Told(line, error)) => {
                if let Some(cause) = &error.cause {
                    tracing::warn!(code = error.code.as_str(), cause, "a bulk load was stopped");
                }
                Ok(LoadReport { committed, stopped: Some((line, error)), ..self.report })
            }
            None => Ok(LoadReport { committed, ..self.report }),
        }
    }

    /// Writes batches until there are no more, each while the next one is read.
    async fn batches<B: BodyChunks, G: Gather<Rows = S::Rows> + Send + 'static>(
        &mut self,
        source: &mut BodyReader<'_, B, G>,
        first: FilledBatch<S::Rows>,
    ) -> Result<(), Stop> {
        let mut filled = first;
        loop {
            let FilledBatch { batch, end } = filled;
            match end {
                None => {
                    let (written, next) = tokio::join!(self.write(batch), source.fill());
                    written?;
                    filled = next;
                }
                Some(End::Finished) => {
                    if !batch.is_empty() || self.clears && self.batches == 0 {
                        self.write(batch).await?;
                    }
                    return self.commit().await;
                }
                Some(End::Fault(fault)) => {
                    self.report.read += batch.read;
                    self.report.refuse(batch.refused);
                    return Err(Stop::Told(fault.line, Error::new(fault.code, fault.message)));
                }
                Some(End::Broken(error)) if error.code == Code::LoadInterrupted => {
                    return Err(Stop::Broken(error));
                }
                Some(End::Broken(error)) => return Err(Stop::Told(self.line, error)),
            }
        }
    }

    /// Writes a batch, and commits where it is time to.
    async fn write(&mut self, mut batch: Batch<S::Rows>) -> Result<(), Stop> {
        self.report.read += batch.read;
        self.line = batch.last.line;
        let unread = std::mem::take(&mut batch.refused);
        let before = self.report.refused;
        let allowed = self.errors.map_or(u64::MAX, |errors| errors.saturating_sub(before));
        let left = allowed.checked_sub(unread.len() as u64);
        let mut refused = match left {
            // Too many already: nothing of this batch will stay.
            None => Vec::new(),
            Some(left) => {
                let written = self.sink.batch(batch, left).await;
                written.map_err(|error| Stop::Told(self.line, error))?
            }
        };
        refused.extend(unread);
        refused.sort_by_key(|row| row.place);
        let beyond = usize::try_from(allowed).ok().and_then(|allowed| refused.get(allowed));
        let beyond = beyond.map(|row| row.place.line);
        self.report.refuse(refused);
        if let Some(line) = beyond {
            return Err(Stop::Told(line, too_many(self.errors.unwrap_or(u64::MAX))));
        }
        self.batches += 1;
        if self.batches_per_commit > 0 && self.batches.is_multiple_of(self.batches_per_commit) {
            self.commit().await?;
        }
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), Stop> {
        let ended = match self.dry_run {
            true => self.sink.check().await,
            false => self.sink.commit().await,
        };
        ended.map_err(|error| Stop::Told(self.line, error))
    }
}

fn too_many(errors: u64) -> Error {
    let message = match errors {
        0 => "A row was refused. Correct it, or allow some with errors=.".to_owned(),
        1 => "More than 1 row was refused. Correct them, or allow more with errors=.".to_owned(),
        _ => format!(
            "More than {errors} rows were refused. Correct them, or allow more with errors=."
        ),
    };
    Error::new(Code::LoadStopped, message)
}

/// Whether an error is about the server, its database or the body as a whole, not about rows.
fn says_all(error: &Error) -> bool {
    !matches!(
        error.code,
        Code::LoadStopped
            | Code::LoadSyntax
            | Code::LoadHeader
            | Code::LoadRecordTooLarge
            | Code::LoadCommitRefused
    )
}
