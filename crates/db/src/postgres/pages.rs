//! Reads of pages: a connection each, taken from a small pool, given back when done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use duet_document::{Cell as Column, Codec, Fetched, RowSet};
use duet_model::{Code, Error, ReadPlan, Result, Value};
use futures_util::future::{join_all, join3};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::postgres::batch::Matcher;
use crate::postgres::bind::bind;
use crate::postgres::database::Database;
use crate::postgres::lane::{Lane, Live};
use crate::postgres::run::{self, BEGIN, Stop};
use crate::read::{Answer, PageRead};

/// The pool of one worker.
#[derive(Debug)]
pub(crate) struct Pages {
    database: Arc<Database>,
    free: RefCell<Vec<Rc<Lane>>>,
    permits: Semaphore,
    waiting: Cell<usize>,
}

impl Pages {
    pub(crate) fn new(database: &Arc<Database>, connections: usize) -> Self {
        let connections = connections.max(1);
        let lanes = (0..connections).map(|_| Rc::new(Lane::new(database, "SET jit = off")));
        Self {
            database: Arc::clone(database),
            free: RefCell::new(lanes.collect()),
            permits: Semaphore::new(connections),
            waiting: Cell::new(0),
        }
    }

    pub(crate) fn forget(&self) {
        self.free.borrow().iter().for_each(|lane| lane.forget());
    }

    /// Reads a page. Where the caller goes away meanwhile, the statement is cancelled.
    pub(crate) async fn read(&self, read: PageRead) -> Result<(Answer, Option<u64>)> {
        let mut loan = self.lend().await?;
        let lane = Rc::clone(&loan.lane);
        let limit = self.database.limits().answer_bytes;
        let mut tries = 1;
        let (fetched, count) = loop {
            match attempt(&lane, &read, limit, &mut loan).await {
                Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
                other => break other?,
            }
        };
        Ok((Answer { fetched: Rc::new(fetched), row: None }, count))
    }

    /// Lends a connection; waits for one, but not for ever, and not behind too many.
    pub(crate) async fn lend(&self) -> Result<Loan<'_>> {
        let permit = self.permit().await?;
        let lane = self.free.borrow_mut().pop();
        let lane = lane.ok_or_else(|| Error::internal("a permit without a connection"))?;
        Ok(Loan { pool: self, lane, running: None, _permit: permit })
    }

    async fn permit(&self) -> Result<SemaphorePermit<'_>> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let limits = self.database.limits();
        let overloaded = || {
            Error::new(
                Code::Overloaded,
                "All connections to the database are busy. Try again in a moment.",
            )
            .retry_after(1)
        };
        if self.waiting.get() >= limits.queue_length {
            return Err(overloaded());
        }
        self.waiting.set(self.waiting.get() + 1);
        let _waiting = Waiting(&self.waiting);
        let permit = tokio::time::timeout(limits.queue_timeout, self.permits.acquire()).await;
        permit.map_err(|_| overloaded())?.map_err(Error::internal)
    }
}

/// Counts one who waits, until dropped.
struct Waiting<'a>(&'a Cell<usize>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A connection on loan: given back when dropped. Dropped while a statement runs, it cancels the
/// statement and gives the connection up, because a transaction may be open on it.
pub(crate) struct Loan<'a> {
    pool: &'a Pages,
    pub(crate) lane: Rc<Lane>,
    running: Option<Rc<Live>>,
    _permit: SemaphorePermit<'a>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(live) = self.running.take() {
            self.lane.drop_connection();
            let token = live.client.cancel_token();
            let database = Arc::clone(&self.pool.database);
            // At the end of a worker there is nothing left to run it: the server then notices by
            // the closed connection.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { database.cancel(token).await });
            }
        }
        self.pool.free.borrow_mut().push(Rc::clone(&self.lane));
    }
}

async fn attempt(
    lane: &Lane,
    read: &PageRead,
    limit: usize,
    loan: &mut Loan<'_>,
) -> Result<(Fetched, Option<u64>)> {
    let live = lane.live().await?;
    loan.running = Some(Rc::clone(&live));
    let page = run_page(&live, read, limit).await;
    // The rest of an answer that is too large is still on its way: nobody waits for that.
    if !matches!(page, Err(Stop::TooLarge(_))) {
        loan.running = None;
    }
    page.map_err(Stop::error)
}

async fn run_page(
    live: &Live,
    read: &PageRead,
    limit: usize,
) -> Result<(Fetched, Option<u64>), Stop> {
    let mut prepared = Vec::with_capacity(read.statements.len());
    for (statement, codecs) in read.statements.iter().zip(&read.codecs) {
        prepared.push(live.prepared(&statement.sql, 0, codecs).await?);
    }
    let root = run::level(
        &live.client,
        &prepared[0],
        bind(&read.statements[0], &[]),
        &read.codecs[0],
        limit,
    );
    if prepared.len() == 1 && read.count.is_none() {
        let sets = vec![root.await?];
        return Ok((Fetched::assemble(&read.plan, sets, 0, |_, _, _| None), None));
    }
    let (begun, root, count) =
        join3(live.client.batch_execute(BEGIN), root, count(live, read)).await;
    let below = match (begun, root, count) {
        (Ok(()), Ok(root), Ok(count)) => {
            levels_below(live, read, &prepared, root, limit).await.map(|sets| (sets, count))
        }
        (begun, root, count) => Err(begun
            .map_err(Stop::from)
            .err()
            .or(root.err())
            .or(count.err())
            .unwrap_or(Stop::TooLarge(limit))),
    };
    if let Err(Stop::TooLarge(limit)) = below {
        return Err(Stop::TooLarge(limit));
    }
    let ended = live.client.batch_execute("COMMIT").await;
    let (sets, count) = below?;
    ended?;
    Ok((assemble(&read.plan, sets), count))
}

async fn count(live: &Live, read: &PageRead) -> Result<Option<u64>, Stop> {
    let Some(statement) = &read.count else { return Ok(None) };
    let codecs = [Codec::Integer];
    let prepared = live.prepared(&statement.sql, 0, &codecs).await?;
    let rows = run::level(&live.client, &prepared, bind(statement, &[]), &codecs, 1 << 20).await?;
    Ok(match rows.is_empty() {
        true => None,
        false => match rows.get(0, 0) {
            Column::Int(count) => Some(count.cast_unsigned()),
            _ => None,
        },
    })
}

/// Reads the levels below the roots that the page has brought.
async fn levels_below(
    live: &Live,
    read: &PageRead,
    prepared: &[tokio_postgres::Statement],
    root: RowSet,
    limit: usize,
) -> Result<Vec<RowSet>, Stop> {
    let keys = keys_of(&read.plan, &root);
    let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
    let levels = (1..read.statements.len()).map(|level| {
        let parameters = bind(&read.statements[level], &borrowed);
        run::level(&live.client, &prepared[level], parameters, &read.codecs[level], limit)
    });
    let mut sets = vec![root];
    for set in join_all(levels).await {
        sets.push(set?);
    }
    Ok(sets)
}

fn assemble(plan: &ReadPlan, sets: Vec<RowSet>) -> Fetched {
    let keys = keys_of(plan, &sets[0]);
    let matcher = Matcher::new(plan, &keys);
    Fetched::assemble(plan, sets, 0, |level, rows, row| {
        let key = matcher.key(rows, row, &plan.levels[level].root_key)?;
        u32::try_from(key).ok()
    })
}

/// The keys of the roots, as values to ask with.
fn keys_of(plan: &ReadPlan, roots: &RowSet) -> Vec<Vec<Value>> {
    let columns = &plan.shape.root().table.columns;
    let value = |row: usize, position: usize, column: usize| match roots.get(row, position) {
        Column::Null => Value::Null,
        Column::Int(value) => Value::Int(value),
        Column::Real(value) => Value::Float(value),
        Column::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        Column::Blob(bytes) => Value::Bytes(bytes.to_vec()),
        cell @ Column::Wire(_) => {
            let mut json = Vec::new();
            Codec::of(&columns[column].ty).write(cell, &mut json);
            let text = String::from_utf8_lossy(&json);
            Value::Text(text.trim_matches('"').to_owned())
        }
    };
    let key = |row: usize| {
        let parts = plan.key.iter().zip(&plan.shape.key);
        parts.map(|(&position, &column)| value(row, position, column)).collect()
    };
    (0..roots.len()).map(key).collect()
}
