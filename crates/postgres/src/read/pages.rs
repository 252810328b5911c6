//! Reads of pages, each on a connection of its own.

use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

use duet_admission::{Class, Deadline, Request};
use duet_auth::Identity;
use duet_document::{Codec, Datum as Column, FetchedRows, RowSet};
use duet_model::{Error, ReadPlan, Result, Value};
use duet_sql::{Dialect, Statement};
use duet_store::memory::row_limit::RowLimit;
use duet_store::plan_numbers::{planned_rows, topmost_number};
use duet_store::read::{
    Answer, CountOf, Counting, Estimating, ExplainedPlan, PageRead, PlanRead, RowCount,
};
use futures_util::future::{join, try_join_all};

use crate::connection::bind::{Bound, bind};
use crate::connection::in_time::in_time;
use crate::connection::live::Live;
use crate::connection::role::Beginning;
use crate::connection::run::{self, BEGIN};
use crate::connection::stop::Stop;
use crate::pool::{Loan, Pool};
use crate::read::keyed::Matcher;

/// Counts the rows that a page selects, after the page was read. If the caller disconnects, the statement is
/// cancelled.
pub(crate) async fn total(
    pool: &Rc<Pool>,
    request: Request,
    read: &PageRead,
) -> Result<Option<RowCount>> {
    let mut loan = pool.lend(request, Class::Normal).await?;
    let lane = Rc::clone(&loan.lane);
    let (limit, dialect) = (pool.database().rows(), pool.database().dialect());
    let time = pool.database().limits().statement_timeout;
    let mut tries = 1;
    loop {
        let attempt = async {
            let live = loan.lane.live().await?;
            loan.runs(&live);
            let rows = live.limited(limit);
            let total = Box::pin(count(&live, read, dialect, true, &rows));
            let total = in_time(request.deadline, time, total).await?;
            loan.done();
            total.map_err(Stop::error)
        };
        match pool.database().watched(Box::pin(attempt)).await? {
            Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
            other => break other,
        }
    }
}

/// Has a statement explained. If the caller disconnects, it is cancelled.
pub(crate) async fn explained(
    pool: &Rc<Pool>,
    request: Request,
    read: &PlanRead,
) -> Result<ExplainedPlan> {
    let mut loan = pool.lend(request, Class::Normal).await?;
    let (limit, time) = (pool.database().rows(), pool.database().limits().statement_timeout);
    let attempt = async {
        let live = loan.lane.live().await?;
        loan.runs(&live);
        let rows = live.limited(limit);
        let keys = match &read.page {
            Some(page) => root_keys(&live, page, &rows).await.map_err(Stop::error)?,
            None => Vec::new(),
        };
        let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
        let parameters = bind(&read.statement, &borrowed);
        let plan = Box::pin(first_cell(&live, &read.statement, parameters, &Codec::Json, &rows));
        let plan = in_time(request.deadline, time, plan).await?;
        loan.done();
        plan.map_err(Stop::error)
    };
    let plan = pool.database().watched(Box::pin(attempt)).await??;
    plan.map(ExplainedPlan::Json).ok_or_else(|| Error::internal("a statement without a plan"))
}

/// The keys of the rows of a page's first level.
async fn root_keys(
    live: &Live,
    page: &PageRead,
    limit: &RowLimit,
) -> Result<Vec<Vec<Value>>, Stop> {
    let prepared = prepare(live, page).await?;
    let rows = root(live, page, &prepared, limit).await?;
    Ok(keys_of(&page.plan, &rows))
}

/// Reads a page. If the caller disconnects, the statement is cancelled.
pub(crate) async fn read(
    pool: &Rc<Pool>,
    request: Request,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
) -> Result<(Answer, Option<RowCount>)> {
    let class = pool.slow.class(request, read);
    let mut loan = pool.lend(request, class).await?;
    let lane = Rc::clone(&loan.lane);
    let _timing = pool.slow.measure(read, class);
    let limit = pool.database().rows();
    let mut tries = 1;
    let (fetched, count) = loop {
        let attempt = Box::pin(attempt(&mut loan, request.deadline, identity, read, limit));
        match pool.database().watched(attempt).await? {
            Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
            other => break other?,
        }
    };
    Ok((Answer { fetched: Rc::new(fetched), row: None }, count))
}

async fn attempt(
    loan: &mut Loan,
    deadline: Deadline,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
    limit: &RowLimit,
) -> Result<(FetchedRows, Option<RowCount>)> {
    let live = loan.lane.live().await?;
    loan.runs(&live);
    let database = loan.database();
    let dialect = database.dialect();
    let (limit, time) = (live.limited(limit), database.limits().statement_timeout);
    // In a place of its own: what waits for it is moved several times.
    let page = Box::pin(run_page(&live, identity, read, dialect, &limit));
    let page = in_time(deadline, time, page).await?;
    // The rest of an answer that is too large is still on its way: no request waits for that.
    if !matches!(page, Err(Stop::Over(_))) {
        loan.done();
    }
    page.map_err(Stop::error)
}

async fn run_page(
    live: &Live,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
    dialect: &dyn Dialect,
    limit: &RowLimit,
) -> Result<(FetchedRows, Option<RowCount>), Stop> {
    let prepared = prepare(live, read).await?;
    let is_alone = read.count == CountOf::Nothing || read.counts_after();
    if prepared.len() == 1 && is_alone && identity.is_none() && live.local().is_none() {
        let rows = root(live, read, &prepared, limit).await?;
        let total = match read.total_of(rows.len()) {
            None => count(live, read, dialect, true, limit).await?,
            known => known,
        };
        return Ok((FetchedRows::of_root(rows, 0), total));
    }
    // In a place of its own, so that the page of one statement does not move it.
    Box::pin(in_transaction(live, identity, read, dialect, &prepared, limit)).await
}

/// Reads a page in one snapshot. Its rows come first: those of the last page imply the total, and counting may cost
/// as much as reading. What else the page needs leaves together with `COMMIT`.
async fn in_transaction(
    live: &Live,
    identity: Option<&Arc<Identity>>,
    read: &PageRead,
    dialect: &dyn Dialect,
    prepared: &[tokio_postgres::Statement],
    limit: &RowLimit,
) -> Result<(FetchedRows, Option<RowCount>), Stop> {
    let beginning = Beginning::ready(live, BEGIN, identity).await?;
    let first = root(live, read, prepared, limit);
    let (begun, first) = join(beginning.begin(&live.client), first).await;
    let first = match (begun, first) {
        (_, Err(over @ Stop::Over(_))) => return Err(over),
        (Err(error), _) => Err(error),
        (Ok(()), Err(error)) => Err(error),
        (Ok(()), Ok(root)) => count_ready(live, read, dialect, identity.is_none(), root).await,
    };
    let commit = live.client.batch_execute("COMMIT");
    let root = match first {
        Ok(root) => root,
        Err(error) => {
            // It rolls back. The first error is the one that says what is wrong.
            drop(commit.await);
            return Err(error);
        }
    };
    let known = read.total_of(root.len());
    let rest = async {
        let counted = async {
            match known {
                None => count(live, read, dialect, identity.is_none(), limit).await,
                known => Ok(known),
            }
        };
        let below = below(live, read, prepared, root, limit);
        let (fetched, counted) = run::unless_over(below, counted).await?;
        Ok((fetched?, counted?))
    };
    let (rest, ended) = if known.is_none() && read.counts_after() {
        // A limited count is several statements, each sent after the answer to the one before.
        let rest = rest.await;
        if matches!(rest, Err(Stop::Over(_))) {
            return rest;
        }
        (rest, commit.await)
    } else {
        run::unless_over(rest, commit).await?
    };
    let rest = rest?;
    ended?;
    Ok(rest)
}

/// Prepares the statement that counts where the rows of a page do not imply an exact total, so that it leaves at once.
async fn count_ready(
    live: &Live,
    read: &PageRead,
    dialect: &dyn Dialect,
    own: bool,
    root: RowSet,
) -> Result<RowSet, Stop> {
    if read.count == CountOf::All
        && read.total_of(root.len()).is_none()
        && let Some(counting) = read.counting(dialect)
    {
        let statement = counting.totals.as_ref().filter(|_| own).unwrap_or(&counting.statement);
        Box::pin(live.prepared(&statement.sql, 0, [&Codec::Integer])).await?;
    }
    Ok(root)
}

/// The prepared statements of a page, one per level.
pub(crate) async fn prepare(
    live: &Live,
    read: &PageRead,
) -> Result<Vec<tokio_postgres::Statement>, Stop> {
    let mut prepared = Vec::with_capacity(read.statements.len());
    for (statement, codecs) in read.statements.iter().zip(read.codecs.iter()) {
        prepared.push(live.prepared(&statement.sql, 0, codecs).await?);
    }
    Ok(prepared)
}

/// The rows of a page's first level.
pub(crate) async fn root(
    live: &Live,
    read: &PageRead,
    prepared: &[tokio_postgres::Statement],
    limit: &RowLimit,
) -> Result<RowSet, Stop> {
    let parameters = bind(&read.statements[0], &[]);
    run::level(&live.client, &prepared[0], parameters, &read.codecs[0], limit).await
}

/// Counts, or estimates where there are more than are counted. `own` says that the database user of the
/// connection reads, who may use totals.
async fn count(
    live: &Live,
    read: &PageRead,
    dialect: &dyn Dialect,
    own: bool,
    limit: &RowLimit,
) -> Result<Option<RowCount>, Stop> {
    let Some(counting) = read.counting(dialect) else { return Ok(None) };
    // In a place of its own: most pages count nothing, and what reads them is moved.
    Box::pin(count_by(counting, live, own, limit)).await
}

async fn count_by(
    counting: &Counting,
    live: &Live,
    own: bool,
    limit: &RowLimit,
) -> Result<Option<RowCount>, Stop> {
    if let Some(totals) = counting.totals.as_ref().filter(|_| own) {
        let parameters = bind(totals, &[]);
        let rows = first_cell(live, totals, parameters, &Codec::Integer, limit).await?;
        let rows = rows.and_then(|rows| rows.parse::<u64>().ok());
        return Ok(rows.map(|rows| RowCount { rows, exact: true }));
    }
    let mut estimated = None;
    if let Some(beyond) = counting.beyond.as_ref().filter(|beyond| beyond.first) {
        estimated = estimate(live, beyond, limit).await?;
        if let Some(rows) = estimated.filter(|rows| beyond.is_enough(*rows)) {
            return Ok(Some(RowCount { rows, exact: false }));
        }
    }
    let parameters = bind(&counting.statement, &[]);
    let rows = first_cell(live, &counting.statement, parameters, &Codec::Integer, limit).await?;
    let Some(rows) = rows.and_then(|rows| rows.parse::<u64>().ok()) else { return Ok(None) };
    match &counting.beyond {
        Some(beyond) if rows > beyond.most => {
            let estimated = match estimated {
                None => estimate(live, beyond, limit).await?,
                known => known,
            };
            Ok(Some(RowCount { rows: estimated.unwrap_or(rows).max(rows), exact: false }))
        }
        _ => Ok(Some(RowCount { rows, exact: true })),
    }
}

/// The planner's estimate.
async fn estimate(live: &Live, beyond: &Estimating, limit: &RowLimit) -> Result<Option<u64>, Stop> {
    let parameters = bind(&beyond.statement, &[]);
    let plan = first_cell(live, &beyond.statement, parameters, &Codec::Json, limit).await?;
    Ok(plan.and_then(|plan| planned_rows(&plan)))
}

/// The number that the topmost step of a plan has under a name; the statement explains, as JSON.
pub(crate) async fn first_number<N: FromStr>(
    live: &Live,
    statement: &Statement,
    parameters: Vec<Bound>,
    name: &str,
    limit: &RowLimit,
) -> Result<Option<N>, Stop> {
    let plan = first_cell(live, statement, parameters, &Codec::Json, limit).await?;
    Ok(plan.and_then(|plan| topmost_number(&plan, name)))
}

/// The first cell of a statement's result, as JSON text.
async fn first_cell(
    live: &Live,
    statement: &Statement,
    parameters: Vec<Bound>,
    codec: &Codec,
    limit: &RowLimit,
) -> Result<Option<String>, Stop> {
    let codecs = [codec.clone()];
    let prepared = live.prepared(&statement.sql, 0, &codecs).await?;
    let rows = run::level(&live.client, &prepared, parameters, &codecs, limit).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut text = Vec::new();
    codec.write(rows.get(0, 0), &mut text);
    Ok(String::from_utf8(text).ok())
}

/// Reads the levels below the roots that the page has brought, and puts all together.
pub(crate) async fn below(
    live: &Live,
    read: &PageRead,
    prepared: &[tokio_postgres::Statement],
    root: RowSet,
    limit: &RowLimit,
) -> Result<FetchedRows, Stop> {
    let keys = keys_of(&read.plan, &root);
    let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
    let levels = (1..read.statements.len()).map(|level| {
        let parameters = bind(&read.statements[level], &borrowed);
        run::level(&live.client, &prepared[level], parameters, &read.codecs[level], limit)
    });
    let mut sets = vec![root];
    sets.extend(try_join_all(levels).await?);
    let matcher = Matcher::new(&read.plan, &keys);
    Ok(FetchedRows::assemble(&read.plan, sets, 0, |level, rows, row| {
        let key = matcher.key(rows, row, &read.plan.levels[level].root_key)?;
        u32::try_from(key).ok()
    }))
}

/// The keys of the roots, as parameters.
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
