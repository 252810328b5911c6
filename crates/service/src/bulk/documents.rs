//! Bulk loads of documents into a duality view or a collection: each is made as `POST` makes it, many in one
//! transaction. Those that are rows of one table, such as a collection's, are written by a statement for
//! many of them; others each under a savepoint.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::bulk::{
    Batch, BulkDocument, DocumentIntake, DocumentText, IntakeLimits, RefusedRow, RowFormat,
    RowPosition,
};
use duet_document::with_served_names;
use duet_model::{Code, Error, Result};
use duet_store::{Ending, Session, SharedStore, Write};
use duet_text::error;
use duet_text::json::JsonLimits;
use duet_text::json::body::Body;

use super::source::{BodyChunks, BodyReader};
use super::{Clear, LoadOptions, LoadReport, Run, Sink};
use crate::hosting::context::RequestContext;
use crate::resources::resource::Resource;
use crate::write::{LoadedDocuments, served_names, unseen};

/// Documents of a batch where the request does not say.
const BATCH_DOCUMENTS: usize = 50;
/// Documents that are written together at most.
const TOGETHER: usize = 500;
/// Bytes of documents that one transaction may hold, because they are in memory until it ends.
const WHOLE_BYTES: usize = 64 << 20;

impl RequestContext<'_> {
    pub(super) async fn load_documents<B: BodyChunks>(
        &self,
        resource: &Arc<Resource>,
        options: LoadOptions,
        body: &mut B,
    ) -> Result<LoadReport> {
        let RowFormat::Json(layout) = options.form else {
            let message = "Documents are loaded as application/json or application/x-ndjson.";
            return Err(Error::new(Code::UnsupportedMediaType, message));
        };
        for (name, given) in [("upsert", options.upsert), ("truncate", options.clear != Clear::No)]
        {
            if given {
                let message = format!("`{name}` is for tables only.");
                let place = error::Place::Parameter(name.to_owned());
                return Err(Error::new(Code::BadParameter, message).at(place));
            }
        }
        let whole = options.batches_per_commit == 0;
        let batch = options.batch_rows.unwrap_or(BATCH_DOCUMENTS);
        let batches = usize::try_from(options.batches_per_commit).unwrap_or(usize::MAX);
        let mut limits = IntakeLimits {
            record_bytes: options.row_bytes,
            batch_rows: batch.saturating_mul(batches),
            ..IntakeLimits::default()
        };
        if whole {
            (limits.batch_rows, limits.batch_bytes) = (usize::MAX, WHOLE_BYTES);
        }
        let bounds = JsonLimits::depth(self.service().write_limits().depth);
        let mut source = BodyReader::new(body, DocumentIntake::new(layout, limits, bounds));
        let first = source.first().await?;
        if whole && first.end.is_none() {
            let message = format!(
                "One transaction may hold {WHOLE_BYTES} bytes of documents. Load them in parts, \
                 with batchesPerCommit above 0."
            );
            return Err(Error::new(Code::BodyTooLarge, message));
        }
        let sink = DocumentLoad {
            worker: *self,
            resource: Arc::clone(resource),
            may_read: options.may_read,
            dry_run: options.dry_run,
            committed: RowPosition::default(),
        };
        // Each batch of this load is a transaction.
        Run::new(sink, 1, &options).until_end(source, first).await
    }
}

/// Documents on their way into a view.
struct DocumentLoad<'w> {
    worker: RequestContext<'w>,
    resource: Arc<Resource>,
    may_read: bool,
    dry_run: bool,
    committed: RowPosition,
}

impl Sink for DocumentLoad<'_> {
    type Rows = Vec<BulkDocument>;

    async fn batch(
        &mut self,
        batch: Batch<Vec<BulkDocument>>,
        allowed: u64,
    ) -> Result<Vec<RefusedRow>> {
        let job = DocumentsJob {
            store: self.worker.service().store().clone(),
            depth: self.worker.service().write_limits().depth,
            author: self.worker.author(&self.resource),
            resource: Arc::clone(&self.resource),
            is_careful: unseen::may_be_hidden(&self.resource, self.worker.identity().is_some()),
            may_read: self.may_read,
            dry_run: self.dry_run,
            documents: batch.rows,
            allowed,
        };
        let refused = self.worker.handle().write(Arc::new(job)).await?;
        if refused.len() as u64 <= allowed && !self.dry_run {
            self.committed = batch.last;
        }
        Ok(refused)
    }

    /// The end of a batch is the end of its transaction, also of one that is undone.
    async fn check(&mut self) -> Result<()> {
        Ok(())
    }

    /// The same.
    async fn commit(&mut self) -> Result<()> {
        Ok(())
    }

    async fn end(self) -> RowPosition {
        self.committed
    }
}

/// The documents of one transaction.
struct DocumentsJob {
    store: SharedStore,
    depth: usize,
    author: Option<Arc<str>>,
    resource: Arc<Resource>,
    /// Whether the database may hide the rows from those who add them.
    is_careful: bool,
    may_read: bool,
    dry_run: bool,
    documents: Vec<BulkDocument>,
    allowed: u64,
}

#[async_trait(?Send)]
impl Write for DocumentsJob {
    type Output = Vec<RefusedRow>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<RefusedRow>>> {
        let mut refused = Vec::new();
        for documents in self.documents.chunks(TOGETHER) {
            let left = self.allowed.saturating_sub(refused.len() as u64);
            let load = LoadedDocuments {
                store: &self.store,
                resource: &self.resource,
                author: self.author.as_ref(),
                is_careful: self.is_careful,
                may_read: self.may_read,
                allowed: usize::try_from(left).unwrap_or(usize::MAX),
            };
            let bodies = documents.iter().map(|document| self.body(document));
            let outcomes = load.write(session, bodies).await?;
            for (document, outcome) in documents.iter().zip(outcomes) {
                match outcome {
                    Ok(_) => {}
                    Err(error) if is_the_documents_own(&error) => {
                        refused.push(refusal(document.place, error));
                    }
                    Err(error) => return Err(error),
                }
            }
            if refused.len() as u64 > self.allowed {
                return Ok(Ending::Rollback(refused));
            }
        }
        Ok(match self.dry_run {
            true => Ending::DryRun(refused),
            false => Ending::Commit(refused),
        })
    }
}

impl DocumentsJob {
    /// The body of a document.
    fn body(&self, document: &BulkDocument) -> Result<Body> {
        match &document.text {
            DocumentText::Raw(text) => {
                let bounds = JsonLimits::depth(self.depth);
                Body::read(served_names(&self.resource, text, bounds), bounds)
            }
            DocumentText::Read(body) => self.large(body),
        }
    }

    /// A document that was read already; again where members are named in another case.
    fn large(&self, body: &Body) -> Result<Body> {
        let bounds = JsonLimits::depth(self.depth);
        let shape = &self.resource.shape;
        let text = body.place().0;
        let any_case = shape.style.profile.takes_names_in_any_case();
        match any_case.then(|| with_served_names(shape, text, bounds)).flatten() {
            Some(renamed) => Body::read(renamed.into(), bounds),
            None => Ok(body.clone()),
        }
    }
}

/// Whether an error is about the document, and no other will meet it.
fn is_the_documents_own(error: &Error) -> bool {
    error.code.status() < 500 && !matches!(error.code, Code::DatabaseReadOnly | Code::RoleDenied)
}

fn refusal(place: RowPosition, error: Error) -> RefusedRow {
    let field = match error.place {
        Some(error::Place::Pointer(pointer)) => Some(pointer),
        _ => None,
    };
    let hint = error.hint.map_or(String::new(), |hint| format!(" {hint}"));
    RefusedRow { place, field, code: error.code, message: error.message + &hint }
}
