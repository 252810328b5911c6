//! Running the statements of a read on one connection, all levels in one snapshot.
//!
//! Statements that are polled together leave in one flush: `BEGIN`, the levels and `COMMIT` cost
//! one round trip.

use std::pin::Pin;
use std::sync::Arc;

use duet_auth::Identity;
use duet_document::{Codec, RowSet};
use duet_model::Value;
use duet_store::memory::row_limit::RowLimit;
use duet_store::read::KeyedRead;
use futures_util::future::{Either, join, select, try_join_all};
use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::{Client, Row, RowStream};

use crate::connection::bind::{self, Bound, bind, push_row};
use crate::connection::live::Live;
use crate::connection::role::Beginning;
use crate::connection::stop::Stop;

pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The prepared statements of a read by key.
pub(crate) enum Ready {
    /// One for all levels.
    Combined(tokio_postgres::Statement),
    /// The same for a single key.
    One(tokio_postgres::Statement),
    /// One per level.
    Levels(Vec<tokio_postgres::Statement>),
}

/// Prepares the statements of a read by so many keys, as far as they are not yet.
pub(crate) async fn ready(live: &Live, read: &KeyedRead, keys: usize) -> Result<Ready, Stop> {
    let KeyedRead { statements, codecs, .. } = read;
    if let Some(one) = read.one.as_ref().filter(|_| keys == 1) {
        let first = usize::from(codecs.len() > 1);
        let prepared = live.prepared(&one.sql, first, codecs.iter().flatten()).await?;
        return Ok(Ready::One(prepared));
    }
    if let Some(combined) = &read.combined {
        let prepared = live.prepared(&combined.sql, 1, codecs.iter().flatten()).await?;
        return Ok(Ready::Combined(prepared));
    }
    let mut prepared = Vec::with_capacity(statements.len());
    for (statement, codecs) in statements.iter().zip(codecs) {
        prepared.push(live.prepared(&statement.sql, 0, codecs).await?);
    }
    Ok(Ready::Levels(prepared))
}

/// Reads all levels of the documents with these keys, in one snapshot.
pub(crate) async fn by_keys(
    live: &Live,
    identity: Option<&Arc<Identity>>,
    read: &KeyedRead,
    keys: &[&[Value]],
    limit: &RowLimit,
) -> Result<Vec<RowSet>, Stop> {
    let ready = ready(live, read, keys.len()).await?;
    let fetched = fetch(&live.client, read, &ready, keys, limit);
    let is_one = !matches!(&ready, Ready::Levels(statements) if statements.len() > 1);
    if is_one && identity.is_none() && live.local().is_none() {
        return fetched.await;
    }
    let beginning = Beginning::ready(live, BEGIN, identity).await?;
    // Polled in this order, so that they leave in this order. All three are sent whatever happens:
    // an error aborts the transaction, and `COMMIT` then rolls it back.
    let rest = unless_over(fetched, live.client.batch_execute("COMMIT"));
    let (begun, rest) = join(beginning.begin(&live.client), rest).await;
    begun?;
    let (sets, committed) = rest?;
    let sets = sets?;
    committed?;
    Ok(sets)
}

/// Runs statements of which the second leaves behind the first. Where the rows of the first are
/// more than there is room for, no request waits until the rest of them has passed.
pub(crate) async fn unless_over<A, B>(
    rows: impl Future<Output = Result<A, Stop>>,
    second: impl Future<Output = B>,
) -> Result<(Result<A, Stop>, B), Stop> {
    pin_mut!(rows, second);
    let (rows, second) = match select(rows, second).await {
        Either::Left((Err(over @ Stop::Over(_)), _)) => return Err(over),
        Either::Left((rows, second)) => (rows, second.await),
        Either::Right((second, rows)) => (rows.await, second),
    };
    match rows {
        Err(over @ Stop::Over(_)) => Err(over),
        rows => Ok((rows, second)),
    }
}

/// Reads all levels of the documents with these keys, in the transaction that is open. All
/// statements are sent when this is first polled.
pub(crate) async fn fetch(
    client: &Client,
    read: &KeyedRead,
    ready: &Ready,
    keys: &[&[Value]],
    limit: &RowLimit,
) -> Result<Vec<RowSet>, Stop> {
    let KeyedRead { statements, combined, one, codecs, .. } = read;
    match ready {
        Ready::Combined(prepared) => {
            let parameters = combined.as_ref().map(|combined| bind(combined, keys));
            levels(client, prepared, parameters.unwrap_or_default(), codecs, limit).await
        }
        Ready::One(prepared) => {
            let parameters = one.as_ref().zip(keys.first()).map(|(one, key)| bind::one(one, key));
            let parameters = parameters.unwrap_or_default();
            match &codecs[..] {
                [codecs] => Ok(vec![level(client, prepared, parameters, codecs, limit).await?]),
                codecs => levels(client, prepared, parameters, codecs, limit).await,
            }
        }
        Ready::Levels(prepared) => {
            let each = statements.iter().zip(prepared).zip(codecs);
            let each = each.map(|((statement, ready), codecs)| {
                level(client, ready, bind(statement, keys), codecs, limit)
            });
            try_join_all(each).await
        }
    }
}

/// The rows of a statement that reads all levels: each begins with the number of its level.
async fn levels(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    parameters: Vec<Bound>,
    codecs: &[Vec<Codec>],
    limit: &RowLimit,
) -> Result<Vec<RowSet>, Stop> {
    let rows: RowStream = client.query_raw(prepared, parameters).await?;
    let mut sets: Vec<RowSet> =
        codecs.iter().map(|codecs| RowSet::with_capacity(codecs.len(), 16)).collect();
    let starts: Vec<usize> = codecs
        .iter()
        .scan(1, |next, codecs| {
            let start = *next;
            *next += codecs.len();
            Some(start)
        })
        .collect();
    let mut size = 0;
    pin_mut!(rows);
    while let Some(row) = next(&mut rows, limit).await? {
        let number: i32 = row.try_get(0)?;
        let level = usize::try_from(number).unwrap_or(0).min(codecs.len() - 1);
        let set = &mut sets[level];
        limit.take_over(set, row.raw_size_bytes());
        limit.admit_beside(size, set, row.raw_size_bytes())?;
        let before = set.size();
        push_row(&row, starts[level], &codecs[level], set)?;
        size += set.size() - before;
    }
    Ok(sets)
}

/// The rows of one statement.
pub(crate) async fn level(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    parameters: Vec<Bound>,
    codecs: &[Codec],
    limit: &RowLimit,
) -> Result<RowSet, Stop> {
    let rows: RowStream = client.query_raw(prepared, parameters).await?;
    let mut set = RowSet::with_capacity(codecs.len(), 16);
    pin_mut!(rows);
    while let Some(row) = next(&mut rows, limit).await? {
        push_limited(&row, codecs, limit, &mut set)?;
    }
    Ok(set)
}

/// The next row, which is copied next.
pub(crate) async fn next(
    rows: &mut Pin<&mut RowStream>,
    limit: &RowLimit,
) -> Result<Option<Row>, Stop> {
    let row = rows.try_next().await?;
    if let Some(row) = &row {
        limit.copy(row.raw_size_bytes()).await;
    }
    Ok(row)
}

/// Appends a row, unless it goes beyond the limit.
pub(crate) fn push_limited(
    row: &Row,
    codecs: &[Codec],
    limit: &RowLimit,
    set: &mut RowSet,
) -> Result<(), Stop> {
    push_from(row, 0, codecs, limit, set)
}

/// The same of the columns from the one numbered `first` on.
pub(crate) fn push_from(
    row: &Row,
    first: usize,
    codecs: &[Codec],
    limit: &RowLimit,
    set: &mut RowSet,
) -> Result<(), Stop> {
    limit.take_over(set, row.raw_size_bytes());
    limit.admit(set, row.raw_size_bytes() + codecs.len() * RowSet::CELL_BYTES)?;
    Ok(push_row(row, first, codecs, set)?)
}
