//! Streams from PostgreSQL. Documents of one level come from one statement, whose rows the server
//! sends as fast as they are taken. Those of several levels come from a cursor over the roots in a
//! transaction with one snapshot: while the levels below some roots are read, the next roots are
//! on their way.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use async_trait::async_trait;
use duet_admission::{Class, Metrics, Request};
use duet_auth::Identity;
use duet_document::{Codec, FetchedRows, RowSet};
use duet_model::Result;
use duet_store::memory::row_limit::CHUNK_BYTES;
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::guarded;
use duet_store::read::PageRead;
use duet_store::worker::stream::Chunks;
use futures_util::Stream as _;
use futures_util::future::{OptionFuture, join, poll_fn};
use tokio_postgres::{RowStream, Statement};

use crate::connection::bind::bind;
use crate::connection::columns;
use crate::connection::live::Live;
use crate::connection::role::Beginning;
use crate::connection::run::{self, BEGIN};
use crate::connection::stop::Stop;
use crate::pool::{Loan, Pool};
use crate::read::pages::{self, prepare};

/// What each connection for streams sets: a stream ends by Duet's own clock, which also counts the
/// time that its client takes.
pub(crate) const SESSION: &str = "SET jit = off; SET statement_timeout = 0";

/// How many roots are fetched together: few of large documents, many of small ones.
const STEPS: [usize; 4] = [1, 16, 128, 1024];

/// The rows that are still to come, and the connection that they come on.
#[derive(Debug)]
pub(crate) struct StreamRows {
    source: RowSource,
    read: PageRead,
    /// How many bytes the rows below some roots may have.
    limit: RowLimit,
    metrics: Arc<Metrics>,
    /// Dropped while something runs, it cancels that.
    loan: Loan,
}

enum RowSource {
    Rows(Rows),
    Cursor(Cursor),
    Ended,
}

/// The rows of one statement.
struct Rows {
    stream: Pin<Box<RowStream>>,
    /// The last one has arrived: the stream must not be polled again.
    ended: bool,
    /// The connection, where a transaction is open on it.
    transaction: Option<Rc<Live>>,
}

impl std::fmt::Debug for RowSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Rows(_) => "Rows",
            Self::Cursor(_) => "Cursor",
            Self::Ended => "Ended",
        })
    }
}

impl StreamRows {
    pub(crate) async fn open(
        pool: &Rc<Pool>,
        request: Request,
        identity: Option<&Arc<Identity>>,
        read: PageRead,
        limit: RowLimit,
        metrics: &Arc<Metrics>,
    ) -> Result<Self> {
        let mut loan = pool.lend(request, Class::Normal).await?;
        let lane = Rc::clone(&loan.lane);
        let mut tries = 1;
        let (source, limit) = loop {
            let begun = begin(&mut loan, identity, &read, &limit);
            match pool.database().watched(Box::pin(begun)).await? {
                Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
                other => break other?,
            }
        };
        Ok(Self { source, read, limit, metrics: Arc::clone(metrics), loan })
    }

    async fn chunk(&mut self) -> Result<Option<FetchedRows>> {
        let chunk = match &mut self.source {
            RowSource::Rows(rows) => next_rows(rows, &self.read, &self.limit).await,
            RowSource::Cursor(cursor) => cursor.next(&self.read, &self.limit).await,
            RowSource::Ended => Ok(None),
        };
        chunk.map_err(Stop::error)
    }
}

#[async_trait(?Send)]
impl Chunks for StreamRows {
    /// The next rows. After a panic, as after an error, there are none, and the connection is closed.
    async fn next(&mut self) -> Result<Option<FetchedRows>> {
        if matches!(self.source, RowSource::Ended) {
            return Ok(None);
        }
        let (database, metrics) = (self.loan.database(), Arc::clone(&self.metrics));
        let watched = async { database.watched(Box::pin(self.chunk())).await? };
        let chunk = guarded(&metrics, watched).await;
        if !matches!(chunk, Ok(Some(_))) {
            self.source = RowSource::Ended;
        }
        if matches!(chunk, Ok(None)) {
            self.loan.done();
        }
        chunk
    }
}

async fn begin(
    loan: &mut Loan,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
    limit: &RowLimit,
) -> Result<(RowSource, RowLimit)> {
    let live = loan.lane.live().await?;
    loan.runs(&live);
    let begun = if read.statements.len() == 1 {
        one_level(&live, identity, read).await
    } else {
        Cursor::open(&live, identity, read).await.map(RowSource::Cursor)
    };
    if begun.is_err() {
        let may_be_open = read.statements.len() > 1 || identity.is_some() || live.local().is_some();
        if may_be_open && live.client.batch_execute("ROLLBACK").await.is_err() {
            loan.lane.drop_connection();
        }
        loan.done();
    }
    Ok((begun.map_err(Stop::error)?, live.limited(limit)))
}

/// Begins to read the rows of one statement, which needs a transaction only for a role.
async fn one_level(
    live: &Rc<Live>,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
) -> Result<RowSource, Stop> {
    let statement = &read.statements[0];
    let prepared = live.prepared(&statement.sql, 0, &read.codecs[0]).await?;
    let rows = live.client.query_raw(&prepared, bind(statement, &[]));
    let (rows, transaction) = match identity {
        None if live.local().is_none() => (rows.await?, None),
        _ => {
            let beginning = Beginning::ready(live, BEGIN, identity).await?;
            let (begun, rows) = join(beginning.begin(&live.client), rows).await;
            begun?;
            (rows?, Some(Rc::clone(live)))
        }
    };
    Ok(RowSource::Rows(Rows { stream: Box::pin(rows), ended: false, transaction }))
}

/// The rows that have arrived, or the next ones.
async fn next_rows(
    rows: &mut Rows,
    read: &PageRead,
    limit: &RowLimit,
) -> Result<Option<FetchedRows>, Stop> {
    let mut set = RowSet::with_capacity(read.codecs[0].len(), 256);
    if !rows.ended {
        let (codecs, mut yielded) = (&read.codecs[0][..], false);
        poll_fn(|context| poll_rows(rows, codecs, limit, &mut set, &mut yielded, context)).await?;
    }
    if !set.is_empty() {
        return Ok(Some(FetchedRows::of_root(set, 0)));
    }
    if let Some(live) = rows.transaction.take() {
        live.client.batch_execute("COMMIT").await?;
    }
    Ok(None)
}

/// Takes rows until a chunk is full, the server has no more, or all received rows are taken.
fn poll_rows(
    rows: &mut Rows,
    codecs: &[Codec],
    limit: &RowLimit,
    set: &mut RowSet,
    yielded: &mut bool,
    context: &mut Context<'_>,
) -> Poll<Result<(), Stop>> {
    while set.size() < CHUNK_BYTES {
        match rows.stream.as_mut().poll_next(context) {
            Poll::Ready(Some(row)) => {
                let row = row?;
                limit.copy_now(row.raw_size_bytes());
                run::push_limited(&row, codecs, limit, set)?;
            }
            Poll::Ready(None) => {
                rows.ended = true;
                break;
            }
            Poll::Pending if set.is_empty() => return Poll::Pending,
            // More may have arrived that the connection's own task has not read yet: it has its
            // turn, and only then the chunk leaves as it is.
            Poll::Pending if !*yielded => {
                *yielded = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Pending => break,
        }
        *yielded = false;
    }
    Poll::Ready(Ok(()))
}

/// Roots from a cursor, and the levels below them.
struct Cursor {
    live: Rc<Live>,
    /// Its name, which follows from the statement of the roots: poolers share prepared statements by
    /// their text, and the rows of a `FETCH` are those of its cursor.
    name: String,
    /// The statements of the levels; the cursor contains that of the roots.
    below: Vec<Statement>,
    /// The prepared statement that fetches this many roots, for each of [`STEPS`].
    fetch: [Option<Statement>; STEPS.len()],
    step: usize,
    /// Roots that have arrived, and how many were requested.
    ready: Option<(RowSet, usize)>,
}

impl Cursor {
    async fn open(
        live: &Rc<Live>,
        identity: Option<&Arc<Identity>>,
        read: &PageRead,
    ) -> Result<Self, Stop> {
        // Prepared for the roots too: it shows whether the columns are unchanged.
        let below = prepare(live, read).await?;
        Beginning::ready(live, BEGIN, identity).await?.begin(&live.client).await?;
        let root = &read.statements[0];
        let name = cursor_name(&root.sql);
        let declare = format!("DECLARE {name} NO SCROLL CURSOR FOR {}", root.sql);
        let declare = live.client.prepare(&declare).await?;
        live.client.execute_raw(&declare, bind(root, &[])).await?;
        Ok(Self {
            live: Rc::clone(live),
            name,
            below,
            fetch: Default::default(),
            step: 1,
            ready: None,
        })
    }

    async fn next(
        &mut self,
        read: &PageRead,
        limit: &RowLimit,
    ) -> Result<Option<FetchedRows>, Stop> {
        let (roots, requested) = match self.ready.take() {
            Some(ready) => ready,
            None => self.fetch(&read.codecs[0], limit).await?,
        };
        if roots.is_empty() {
            self.live.client.batch_execute("COMMIT").await?;
            return Ok(None);
        }
        let (has_more, count) = (roots.len() == requested, roots.len());
        let live = Rc::clone(&self.live);
        let below = self.below.clone();
        let below = pages::below(&live, read, &below, roots, limit);
        let next = has_more.then(|| self.fetch(&read.codecs[0], limit));
        let (fetched, next) = join(below, OptionFuture::from(next)).await;
        let fetched = fetched?;
        self.ready = match next {
            Some(next) => Some(next?),
            None => Some((RowSet::new(read.codecs[0].len()), 0)),
        };
        self.adapt(fetched.size() / count);
        Ok(Some(fetched))
    }

    /// Sets the next fetch to as many roots as make a chunk with the rows below them.
    fn adapt(&mut self, bytes_each: usize) {
        let fit = |count: &usize| count * bytes_each <= 4 * CHUNK_BYTES;
        self.step = STEPS.iter().rposition(fit).unwrap_or(0);
    }

    async fn fetch(&mut self, codecs: &[Codec], limit: &RowLimit) -> Result<(RowSet, usize), Stop> {
        let requested = STEPS[self.step];
        let statement = match &self.fetch[self.step] {
            Some(known) => known.clone(),
            None => {
                let sql = format!("FETCH FORWARD {requested} FROM {}", self.name);
                let statement = self.live.client.prepare(&sql).await?;
                if !columns::fit(&statement, 0, codecs.iter()) {
                    return Err(Stop::OtherTypes);
                }
                self.fetch[self.step] = Some(statement.clone());
                statement
            }
        };
        let rows = run::level(&self.live.client, &statement, Vec::new(), codecs, limit).await?;
        Ok((rows, requested))
    }
}

/// A name of its own for each statement.
fn cursor_name(sql: &str) -> String {
    // The same in every process, and long enough that no two statements share it.
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, sql).hash(&mut hasher);
        hasher.finish()
    };
    format!("duet_{:016x}{:016x}", half(0), half(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_of_other_statements_have_other_names() {
        let name = cursor_name("SELECT 1");
        assert_eq!(name, cursor_name("SELECT 1"));
        assert_ne!(name, cursor_name("SELECT 2"));
        assert!(name.len() < 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    }
}
