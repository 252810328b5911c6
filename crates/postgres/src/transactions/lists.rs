//! Rows that are sent as lists of values, several statements in one flush, and which of them comes back for whom.

use std::collections::HashMap;

use duet_document::{Codec, Datum, RowSet};
use duet_model::{Type, Value};
use duet_sql::{KeyDraw, ReturnedLists, RowLists};
use duet_store::memory::row_limit::RowLimit;
use duet_store::write::insert::InsertBatch;
use foldhash::fast::RandomState;
use futures_util::future::join_all;
use tokio_postgres::Client;

use crate::connection::bind;
use crate::connection::live::Live;
use crate::connection::run;
use crate::connection::stop::Stop;
use crate::read::keyed::uuid_bytes;

/// A list of rows, and its statement.
pub(crate) struct PreparedList<'r> {
    statement: tokio_postgres::Statement,
    rows: &'r [&'r [Value]],
}

/// Prepares the statements of lists that take all rows, as far as they are not yet; `codecs` are those of what comes back.
pub(crate) async fn prepare<'r>(
    live: &Live,
    lists: &RowLists,
    rows: &'r [&'r [Value]],
    codecs: &[Codec],
) -> Result<Vec<PreparedList<'r>>, Stop> {
    let (mut prepared, mut left) = (Vec::new(), rows);
    for size in lists.sizes(rows.len()) {
        let (rows, others) = left.split_at(size);
        let statement = live.prepared(&lists.sql(size), 0, codecs).await?;
        prepared.push(PreparedList { statement, rows });
        left = others;
    }
    Ok(prepared)
}

/// Draws the parts of keys that so many rows lack; a row for each of them.
pub(crate) async fn draw(
    live: &Live,
    draw: &KeyDraw,
    prepared: &tokio_postgres::Statement,
    rows: usize,
    limit: &RowLimit,
) -> Result<RowSet, Stop> {
    let count = Value::Int(i64::try_from(rows).unwrap_or(i64::MAX));
    let parameters = bind::one(&draw.statement, &[count]);
    run::level(&live.client, prepared, parameters, &codecs(draw), limit).await
}

/// The codecs of drawn keys.
pub(crate) fn codecs(draw: &KeyDraw) -> Vec<Codec> {
    vec![Codec::Integer; draw.parts]
}

/// Inserts rows; gives the result of each. A set does not have exactly one row where another row came back, and where two
/// rows have the same key. All lists are sent when this is first polled.
pub(crate) async fn insert(
    client: &Client,
    lists: &[PreparedList<'_>],
    insert: &InsertBatch,
    returned: &ReturnedLists,
    limit: &RowLimit,
) -> Result<Vec<RowSet>, Stop> {
    let each = lists.iter().map(|list| {
        let parameters = bind::list(list.rows.iter().copied());
        run::level(client, &list.statement, parameters, &insert.codecs, limit)
    });
    let came = join_all(each).await;
    let keys = GivenKeys::new(insert, returned, lists.iter().flat_map(|list| list.rows));
    let mut sets: Vec<RowSet> = Vec::new();
    sets.resize_with(keys.rows, || RowSet::with_capacity(insert.codecs.len(), 1));
    for rows in came {
        let rows = rows?;
        for row in 0..rows.len() {
            let Some(place) = keys.row_of(&rows, row).and_then(|at| sets.get_mut(at)) else {
                continue;
            };
            (0..rows.width()).for_each(|column| place.push(rows.get(row, column)));
        }
    }
    Ok(sets)
}

/// A part of a key, as it is given and comes back.
#[derive(PartialEq, Eq, Hash)]
enum KeyPart {
    Int(i64),
    Bytes(Vec<u8>),
}

/// The keys of the rows of one insert.
struct GivenKeys<'i> {
    /// Where a row that comes back has the parts of its key.
    columns: &'i [usize],
    rows: usize,
    /// The row of each key.
    known: HashMap<Vec<KeyPart>, usize, RandomState>,
}

impl<'i> GivenKeys<'i> {
    fn new<'r>(
        insert: &'i InsertBatch,
        returned: &ReturnedLists,
        rows: impl Iterator<Item = &'r &'r [Value]>,
    ) -> Self {
        let shape = &insert.plan.shape;
        let types: Vec<&Type> =
            shape.key.iter().map(|&column| &shape.root().table.columns[column].ty).collect();
        let mut keys = Self { columns: &insert.plan.key, rows: 0, known: HashMap::default() };
        for (at, row) in rows.enumerate() {
            let parts = returned.key.iter().zip(&types).map(|(&part, ty)| match row.get(part)? {
                Value::Int(value) => Some(KeyPart::Int(*value)),
                Value::Bool(value) => Some(KeyPart::Int(i64::from(*value))),
                Value::Text(text) if **ty == Type::Uuid => Some(KeyPart::Bytes(uuid_bytes(text))),
                Value::Text(text) => Some(KeyPart::Bytes(text.clone().into_bytes())),
                _ => None,
            });
            if let Some(key) = parts.collect() {
                keys.known.entry(key).or_insert(at);
            }
            keys.rows = at + 1;
        }
        keys
    }

    /// The position of the row that came back.
    fn row_of(&self, rows: &RowSet, row: usize) -> Option<usize> {
        let part = |&column: &usize| match rows.get(row, column) {
            Datum::Int(value) => Some(KeyPart::Int(value)),
            Datum::Text(bytes) | Datum::Wire(bytes) => Some(KeyPart::Bytes(bytes.to_vec())),
            Datum::Null | Datum::Real(_) | Datum::Blob(_) => None,
        };
        self.known.get(&self.columns.iter().map(part).collect::<Option<Vec<_>>>()?).copied()
    }
}
