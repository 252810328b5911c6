//! Requests in a transaction with settings of their own: what functions of the database learn of the request is set
//! before, and what they say of its answer is read behind.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Codec, Datum};
use duet_model::{Error, Result};
use duet_sql::Dialect;
use duet_store::{Call, Ending, PageRead, Session, SharedStore, Write, Writes, planned_rows};

use super::read::{TableForm, TableRows, array_text};
use crate::documents::Document;
use crate::hosting::context::RequestContext;
use crate::hosting::request_frame::RequestFrame;
use crate::queries::expand::too_many_rows;
use crate::resources::representation::Representation;
use crate::write::once::WriteAnswer;

impl RequestContext<'_> {
    /// Writes, with the settings of the request where it has any. `finds` is that of
    /// [`write_found`](Self::write_found).
    pub(super) async fn write_framed<W: Write>(
        &self,
        job: W,
        finds: &dyn Fn(&Error) -> bool,
    ) -> Result<W::Output> {
        let written = match self.frame() {
            None => self.write_once(job, None, finds).await?,
            Some(frame) => {
                let store = self.service().store().clone();
                let framed = FramedJob { job, frame: Arc::clone(frame), store };
                self.write_once(framed, None, finds).await?
            }
        };
        match written {
            WriteAnswer::Now(written) => Ok(written),
            WriteAnswer::Answered { .. } => Err(Error::internal("an answer of another request")),
        }
    }

    /// Reads rows with the settings of the request.
    pub(super) async fn read_framed(
        &self,
        read: Arc<PageRead>,
        representation: Arc<Representation>,
        limit: u64,
        form: TableForm,
    ) -> Result<TableRows> {
        let store = self.service().store().clone();
        let most = self.service().limits().expand_rows;
        let job = ReadJob { read, representation, limit, form, most, store };
        self.write_framed(job, &|_| false).await
    }
}

/// A job between the settings of its request and those of its answer.
struct FramedJob<W> {
    job: W,
    frame: Arc<RequestFrame>,
    store: SharedStore,
}

#[async_trait(?Send)]
impl<W: Write> Write for FramedJob<W> {
    type Output = W::Output;

    fn is_large(&self) -> bool {
        self.job.is_large()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<W::Output>> {
        let dialect = self.store.dialect();
        let begun = session.run(&[self.frame.before(dialect)]).await;
        begun.map_err(|error| self.frame.refused(error))?;
        let ending = self.job.run(session).await?;
        if self.frame.is_answered()
            && let Some(done) = session.run(&[RequestFrame::after(dialect)]).await?.first()
        {
            self.frame.note(&done.rows);
        }
        Ok(ending)
    }
}

/// A page with the number of all its rows.
struct ReadJob {
    read: Arc<PageRead>,
    representation: Arc<Representation>,
    limit: u64,
    form: TableForm,
    /// How many rows an array may have.
    most: usize,
    store: SharedStore,
}

#[async_trait(?Send)]
impl Write for ReadJob {
    type Output = TableRows;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<TableRows>> {
        let answer = session.page(&self.read).await?;
        if answer.fetched.longest_array() > self.most {
            return Err(too_many_rows(self.most));
        }
        let total = total_of(&self.read, session, self.store.dialect()).await?;
        let found = answer.fetched.roots().len() as u64;
        let (body, etag) =
            array_text(&self.representation, &answer.fetched, self.limit, self.form)?;
        let document = Document { body, etag, fetched_at: None };
        Ok(Ending::Commit(TableRows { document, rows: found.min(self.limit), total }))
    }
}

/// How many rows the filter of a page selects, where that is asked for.
pub(super) async fn total_of(
    read: &PageRead,
    session: &mut dyn Session,
    dialect: &dyn Dialect,
) -> Result<Option<u64>> {
    let Some(counting) = read.counting(dialect) else { return Ok(None) };
    if let Some(beyond) = counting.beyond.as_ref().filter(|beyond| beyond.first) {
        let (statement, codecs) = (beyond.statement.clone(), vec![Codec::Json]);
        let done = session.run(&[Call { statement, codecs, writes: Writes::Nothing }]).await?;
        let rows = done.first().map(|done| &done.rows).filter(|rows| !rows.is_empty());
        let mut plan = Vec::new();
        rows.inspect(|rows| Codec::Json.write(rows.get(0, 0), &mut plan));
        return Ok(planned_rows(&String::from_utf8_lossy(&plan)));
    }
    let statement = counting.statement.clone();
    let call = Call { statement, codecs: vec![Codec::Integer], writes: Writes::Nothing };
    let done = session.run(&[call]).await?;
    let rows = done.first().map(|done| &done.rows).filter(|rows| !rows.is_empty());
    match rows.map(|rows| rows.get(0, 0)) {
        Some(Datum::Int(rows)) => Ok(u64::try_from(rows).ok()),
        _ => Err(Error::internal("a count without a number")),
    }
}
