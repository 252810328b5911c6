//! What an aggregate of the database makes of rows, in a transaction that only reads.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Codec, Datum, Etag, TextBuffer};
use duet_model::catalog::MediaAggregate;
use duet_model::profiles::PostgrestGap;
use duet_model::{Error, Result};
use duet_sql::{Statement, aggregate_statement};
use duet_store::{Call, Ending, PageRead, Session, SharedStore, Write, Writes};

use super::framed::total_of;
use super::read::TableRows;
use crate::documents::Document;
use crate::hosting::context::RequestContext;

impl RequestContext<'_> {
    /// What an aggregate makes of the rows of a page. The settings of the request make the transaction READ ONLY.
    ///
    /// # Errors
    /// [`PostgrestGap::MediaOfEmbeds`], and what the aggregate or the database says.
    pub(super) async fn aggregated_rows(
        &self,
        read: Arc<PageRead>,
        aggregate: &MediaAggregate,
    ) -> Result<TableRows> {
        let store = self.service().store().clone();
        let statement = aggregate_statement(store.dialect(), &read.plan, aggregate);
        let refusal = || PostgrestGap::MediaOfEmbeds.refusal(&aggregate.media);
        let statement = statement.ok_or_else(refusal)?;
        let job = AggregateJob { read, statement, is_binary: aggregate.is_binary, store };
        self.write_framed(job, &|_| false).await
    }
}

/// The aggregate over a page, with the number of all its rows.
struct AggregateJob {
    read: Arc<PageRead>,
    statement: Statement,
    is_binary: bool,
    store: SharedStore,
}

#[async_trait(?Send)]
impl Write for AggregateJob {
    type Output = TableRows;

    /// A page may have many rows.
    fn is_large(&self) -> bool {
        true
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<TableRows>> {
        let value = if self.is_binary { Codec::Binary } else { Codec::Text };
        let (statement, codecs) = (self.statement.clone(), vec![Codec::Integer, value]);
        let call = Call { statement, codecs, writes: Writes::Nothing };
        let done = session.run(&[call]).await?.pop();
        let rows = done.map(|done| done.rows).filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| Error::internal("an aggregate without a row"))?;
        let Datum::Int(number) = rows.get(0, 0) else {
            return Err(Error::internal("a count without a number"));
        };
        let text = match rows.get(0, 1) {
            Datum::Text(value) | Datum::Blob(value) | Datum::Wire(value) => value.to_vec(),
            _ => Vec::new(),
        };
        let etag = format!("\"{}\"", Etag::of("media", &text));
        let body = TextBuffer { text, lease: None };
        let document = Document { body, etag, fetched_at: None };
        let total = total_of(&self.read, session, self.store.dialect()).await?;
        Ok(Ending::Commit(TableRows { document, rows: number.unsigned_abs(), total }))
    }
}
