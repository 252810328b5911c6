//! Running the statements of a read on one connection, all levels in one snapshot.
//!
//! Statements that are polled together leave in one flush: `BEGIN`, the levels and `COMMIT` cost
//! one round trip.

use duet_document::{Codec, RowSet};
use duet_model::Value;
use duet_sql::Statement;
use futures_util::future::{join_all, join3};
use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::{Client, RowStream};

use crate::postgres::bind::{Bound, bind, push_row};
use crate::postgres::lane::Live;

pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What stopped a run.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The server or the connection.
    Server(tokio_postgres::Error),
    /// The rows are more than this many bytes.
    TooLarge(usize),
}

impl From<tokio_postgres::Error> for Stop {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

/// Reads all levels of the documents with these keys.
pub(crate) async fn by_keys(
    live: &Live,
    statements: &[Statement],
    codecs: &[Vec<Codec>],
    keys: &[&[Value]],
    limit: usize,
) -> Result<Vec<RowSet>, Stop> {
    let mut prepared = Vec::with_capacity(statements.len());
    for statement in statements {
        prepared.push(live.prepared(&statement.sql).await?);
    }
    let levels = statements.iter().zip(&prepared).zip(codecs).map(|((statement, ready), codecs)| {
        level(&live.client, ready, bind(statement, keys), codecs, limit)
    });
    if statements.len() == 1 {
        return collect(join_all(levels).await);
    }
    // Polled in this order, so that they leave in this order. All three end whatever happens: an
    // error aborts the transaction, and `COMMIT` then rolls it back.
    let (begun, sets, committed) = join3(
        live.client.batch_execute(BEGIN),
        join_all(levels),
        live.client.batch_execute("COMMIT"),
    )
    .await;
    begun?;
    let sets = collect(sets)?;
    committed?;
    Ok(sets)
}

fn collect(sets: Vec<Result<RowSet, Stop>>) -> Result<Vec<RowSet>, Stop> {
    sets.into_iter().collect()
}

/// The rows of one statement.
pub(crate) async fn level(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    parameters: Vec<Bound>,
    codecs: &[Codec],
    limit: usize,
) -> Result<RowSet, Stop> {
    let rows: RowStream = client.query_raw(prepared, parameters).await?;
    let mut set = RowSet::with_capacity(codecs.len(), 16);
    pin_mut!(rows);
    while let Some(row) = rows.try_next().await? {
        push_row(&row, codecs, &mut set)?;
        if set.size() > limit {
            return Err(Stop::TooLarge(limit));
        }
    }
    Ok(set)
}
