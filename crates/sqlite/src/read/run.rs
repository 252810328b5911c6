//! Running the statements of a read on one connection, all levels in one snapshot.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use duet_document::{Datum, FetchedRows, RowSet};
use duet_model::{Code, Error, Result, Type, Value};
use duet_sql::{Parameter, Sqlite, Statement};
use duet_text::time::moment;
use foldhash::fast::RandomState;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Rows, Statement as Prepared};

use duet_store::memory::row_limit::RowLimit;
use duet_store::read::{
    Counting, ExplainedPlan, KeyedRead, PageRead, PlanRead, PlanStep, RowCount,
};

/// How many reads keep their statements; beyond it all are forgotten once.
const READS: usize = 500;

/// The prepared statements of the reads by key that a connection has seen, by the read's id: one
/// per level.
#[derive(Debug, Default)]
pub(crate) struct Statements<'c>(HashMap<u64, Vec<Prepared<'c>>, RandomState>);

impl<'c> Statements<'c> {
    /// Those of a read, prepared if they are not yet.
    pub(crate) fn of(
        &mut self,
        connection: &'c Connection,
        read: &KeyedRead,
    ) -> rusqlite::Result<&mut Vec<Prepared<'c>>> {
        if self.0.len() > READS {
            self.0.clear();
        }
        Ok(match self.0.entry(read.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(prepare(connection, read)?),
        })
    }
}

/// The prepared statements of a read by key, one per level.
pub(crate) fn prepare<'c>(
    connection: &'c Connection,
    read: &KeyedRead,
) -> rusqlite::Result<Vec<Prepared<'c>>> {
    read.statements.iter().map(|statement| connection.prepare(&statement.sql)).collect()
}

/// Reads one document by key. The first statement stays open until the last level is read: that
/// keeps SQLite's read transaction, and with it the snapshot, without a `BEGIN`.
pub(crate) fn by_key(
    prepared: &mut [Prepared<'_>],
    read: &KeyedRead,
    key: &[Value],
    limit: &RowLimit,
    as_of: impl FnOnce() -> u64,
) -> rusqlite::Result<Result<FetchedRows>> {
    let Some((first, below)) = prepared.split_first_mut() else {
        return Ok(Err(Error::internal("a read without a statement")));
    };
    bind(first, &read.statements[0], key)?;
    let mut rows = first.raw_query();
    let mut root = RowSet::with_capacity(read.plan.levels[0].columns.len(), 1);
    if let Some(row) = rows.next()?
        && let Err(error) = push_row(row, limit, &mut root)?
    {
        return Ok(Err(error));
    }
    let found = !root.is_empty();
    let mut sets = Vec::with_capacity(read.statements.len());
    sets.push(root);
    for (statement, prepared) in read.statements[1..].iter().zip(below) {
        let mut set = RowSet::with_capacity(read.plan.levels[sets.len()].columns.len(), 4);
        if found && let Err(error) = fill(prepared, statement, key, limit, &mut set)? {
            return Ok(Err(error));
        }
        sets.push(set);
    }
    let as_of = if read.plan.shape.metadata { as_of() } else { 0 };
    if found && has_untyped_key(&read.statements[0]) && rows.next()?.is_some() {
        return Ok(Err(ambiguous(&read.plan.shape.name)));
    }
    drop(rows);
    Ok(Ok(FetchedRows::assemble(&read.plan, sets, as_of, |_, _, _| Some(0))))
}

/// Whether the key of a statement has no type, so that the text of a path may be that of a number too.
fn has_untyped_key(statement: &Statement) -> bool {
    let is_untyped = |it: &Parameter| matches!(it, Parameter::Key { ty: Type::Dynamic, .. });
    statement.parameters.iter().any(is_untyped)
}

/// The refusal of a key that a number and a text have.
fn ambiguous(name: &str) -> Error {
    let message = format!("Two items of {name} have this key: a number and the text of it.");
    Error::new(Code::AmbiguousKey, message).hint(
        "Filter by the key: in `q`, 5 is the number and \"5\" the text. Then change one of the two in the database.",
    )
}

/// Reads a page: the roots, then each lower level for each root, inside one transaction.
pub(crate) fn page(
    connection: &Connection,
    read: &PageRead,
    limit: &RowLimit,
    as_of: impl FnOnce() -> u64,
) -> rusqlite::Result<Result<(FetchedRows, Option<RowCount>)>> {
    let transaction = connection.unchecked_transaction()?;
    let fetched = match page_rows(connection, read, limit, as_of)? {
        Ok(fetched) => fetched,
        Err(error) => return Ok(Err(error)),
    };
    let count = match read.total_of(fetched.roots().len()) {
        None => counted(connection, read)?,
        known => known,
    };
    transaction.commit()?;
    Ok(Ok((fetched, count)))
}

/// Reads a page among others, in the transaction that is open; where none is and there are levels
/// below the roots, in one of its own.
pub(crate) fn page_in_batch(
    connection: &Connection,
    read: &PageRead,
    limit: &RowLimit,
    as_of: impl FnOnce() -> u64,
) -> rusqlite::Result<Result<FetchedRows>> {
    if !connection.is_autocommit() || read.statements.len() == 1 && !read.plan.shape.metadata {
        return page_rows(connection, read, limit, as_of);
    }
    let transaction = connection.unchecked_transaction()?;
    let fetched = page_rows(connection, read, limit, as_of)?;
    transaction.commit()?;
    Ok(fetched)
}

/// Reads the rows of a page, in the transaction that is open.
pub(crate) fn page_rows(
    connection: &Connection,
    read: &PageRead,
    limit: &RowLimit,
    as_of: impl FnOnce() -> u64,
) -> rusqlite::Result<Result<FetchedRows>> {
    let mut root = RowSet::new(read.plan.levels[0].columns.len());
    if let Err(error) = fill_cached(connection, &read.statements[0], &[], limit, &mut root)? {
        return Ok(Err(error));
    }
    let mut sets = vec![root];
    let mut root_of = vec![Vec::new()];
    for (level, statement) in read.statements.iter().enumerate().skip(1) {
        let mut set = RowSet::new(read.plan.levels[level].columns.len());
        let mut owners = Vec::new();
        for row in 0..sets[0].len() {
            let key = key_of(&sets[0], row, &read.plan.key);
            if let Err(error) = fill_cached(connection, statement, &key, limit, &mut set)? {
                return Ok(Err(error));
            }
            owners.resize(set.len(), u32::try_from(row).unwrap_or(u32::MAX));
        }
        sets.push(set);
        root_of.push(owners);
    }
    let as_of = if read.plan.shape.metadata { as_of() } else { 0 };
    let owner = |level: usize, _: &RowSet, row: usize| root_of[level].get(row).copied();
    Ok(Ok(FetchedRows::assemble(&read.plan, sets, as_of, owner)))
}

/// Counts, or estimates where there are more than are counted.
pub(crate) fn counted(
    connection: &Connection,
    read: &PageRead,
) -> rusqlite::Result<Option<RowCount>> {
    read.counting(&Sqlite).map(|counting| counted_by(connection, counting)).transpose()
}

fn counted_by(connection: &Connection, counting: &Counting) -> rusqlite::Result<RowCount> {
    if let Some(totals) = &counting.totals {
        return Ok(RowCount { rows: count(connection, totals)?, exact: true });
    }
    let mut estimated = None;
    if let Some(beyond) = counting.beyond.as_ref().filter(|beyond| beyond.first) {
        let rows = count(connection, &beyond.statement)?;
        if beyond.is_enough(rows) {
            return Ok(RowCount { rows, exact: false });
        }
        estimated = Some(rows);
    }
    let rows = count(connection, &counting.statement)?;
    match &counting.beyond {
        Some(beyond) if rows > beyond.most => {
            let estimated = match estimated {
                None => count(connection, &beyond.statement)?,
                Some(known) => known,
            };
            Ok(RowCount { rows: estimated.max(rows), exact: false })
        }
        _ => Ok(RowCount { rows, exact: true }),
    }
}

/// The steps by which a statement would run; nothing of it does.
pub(crate) fn explained(
    connection: &Connection,
    read: &PlanRead,
    limit: &RowLimit,
) -> rusqlite::Result<Result<ExplainedPlan>> {
    let mut key = Vec::new();
    if let Some(page) = &read.page {
        let mut root = RowSet::new(page.plan.levels[0].columns.len());
        if let Err(error) = fill_cached(connection, &page.statements[0], &[], limit, &mut root)? {
            return Ok(Err(error));
        }
        key = if root.is_empty() { key } else { key_of(&root, 0, &page.plan.key) };
    }
    let mut prepared = connection.prepare(&read.statement.sql)?;
    bind(&mut prepared, &read.statement, &key)?;
    let mut rows = prepared.raw_query();
    // A step comes after the one around it.
    let (mut depths, mut steps) = (HashMap::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let (own, around, text): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(3)?);
        let depth = depths.get(&around).map_or(0, |depth| depth + 1);
        depths.insert(own, depth);
        steps.push(PlanStep { depth, text });
    }
    Ok(Ok(ExplainedPlan::Steps(steps)))
}

fn count(connection: &Connection, statement: &Statement) -> rusqlite::Result<u64> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    bind(&mut prepared, statement, &[])?;
    let mut rows = prepared.raw_query();
    let count: i64 = match rows.next()? {
        Some(row) => row.get(0)?,
        None => 0,
    };
    Ok(count.cast_unsigned())
}

fn fill_cached(
    connection: &Connection,
    statement: &Statement,
    key: &[Value],
    limit: &RowLimit,
    set: &mut RowSet,
) -> rusqlite::Result<Result<()>> {
    fill(&mut *connection.prepare_cached(&statement.sql)?, statement, key, limit, set)
}

/// Appends the rows of a statement, up to the limit.
pub(crate) fn fill(
    prepared: &mut Prepared<'_>,
    statement: &Statement,
    key: &[Value],
    limit: &RowLimit,
    set: &mut RowSet,
) -> rusqlite::Result<Result<()>> {
    bind(prepared, statement, key)?;
    let mut rows: Rows<'_> = prepared.raw_query();
    while let Some(row) = rows.next()? {
        if let Err(error) = push_row(row, limit, set)? {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// A cell of more bytes is counted before it is copied.
const LARGE_CELL: usize = 16 << 10;

/// Appends a row, unless it goes beyond the limit.
pub(crate) fn push_row(
    row: &rusqlite::Row<'_>,
    limit: &RowLimit,
    set: &mut RowSet,
) -> rusqlite::Result<Result<()>> {
    for column in 0..set.width() {
        let cell = match row.get_ref(column)? {
            ValueRef::Null => Datum::Null,
            ValueRef::Integer(value) => Datum::Int(value),
            ValueRef::Real(value) => Datum::Real(value),
            ValueRef::Text(text) => Datum::Text(text),
            ValueRef::Blob(bytes) => Datum::Blob(bytes),
        };
        if let Datum::Text(bytes) | Datum::Blob(bytes) = cell
            && bytes.len() > LARGE_CELL
            && let Err(error) = limit.admit(set, bytes.len())
        {
            return Ok(Err(error));
        }
        set.push(cell);
    }
    Ok(limit.admit(set, 0))
}

/// The key of a root row, to be bound as it was read.
pub(crate) fn key_of(roots: &RowSet, row: usize, columns: &[usize]) -> Vec<Value> {
    let value = |&column: &usize| match roots.get(row, column) {
        Datum::Null => Value::Null,
        Datum::Int(value) => Value::Int(value),
        Datum::Real(value) => Value::Float(value),
        Datum::Text(text) => Value::of_text(text),
        Datum::Blob(bytes) | Datum::Wire(bytes) => Value::Bytes(bytes.to_vec()),
    };
    columns.iter().map(value).collect()
}

pub(crate) fn bind(
    prepared: &mut Prepared<'_>,
    statement: &Statement,
    key: &[Value],
) -> rusqlite::Result<()> {
    for (index, parameter) in statement.parameters.iter().enumerate() {
        let (value, ty) = match parameter {
            Parameter::Key { part, ty } => (key.get(*part).unwrap_or(&Value::Null), ty),
            Parameter::Value { value, ty } => (value, ty),
        };
        prepared.raw_bind_parameter(index + 1, Bound { value, ty })?;
    }
    Ok(())
}

/// A value as SQLite stores values of its type.
pub(crate) struct Bound<'a> {
    pub(crate) value: &'a Value,
    pub(crate) ty: &'a Type,
}

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let borrowed = |value| Ok(ToSqlOutput::Borrowed(value));
        match (self.value, self.ty) {
            (Value::Null, _) => borrowed(ValueRef::Null),
            (Value::Bool(value), _) => borrowed(ValueRef::Integer(i64::from(*value))),
            (Value::Int(value), _) => borrowed(ValueRef::Integer(*value)),
            // SQLite would make it NULL. As text it is behind all numbers, as PostgreSQL orders it.
            (Value::Float(value), _) if value.is_nan() => borrowed(ValueRef::Text(b"NaN")),
            (Value::Float(value), _) => borrowed(ValueRef::Real(*value)),
            (Value::Text(text), Type::Decimal { .. } | Type::Float { .. }) => match text.parse() {
                Ok(number) if !f64::is_nan(number) => Ok(ToSqlOutput::Owned(decimal(text, number))),
                _ => borrowed(ValueRef::Text(text.as_bytes())),
            },
            (Value::Text(text), Type::Date) if !moment::has_four_digits(text) => {
                Ok(ToSqlOutput::Owned(rusqlite::types::Value::Text(beyond_dates(text))))
            }
            (Value::Text(text), _) => borrowed(ValueRef::Text(text.as_bytes())),
            (Value::RawText(text), _) => borrowed(ValueRef::Text(text)),
            (Value::Bytes(bytes), _) => borrowed(ValueRef::Blob(bytes)),
        }
    }
}

/// A date before year 1 or after 9999, which no column holds, as a text that sorts before or behind all dates, between the
/// infinities.
fn beyond_dates(text: &str) -> String {
    format!("{}{text}", if text.ends_with(" BC") { '.' } else { ':' })
}

/// A decimal text as SQLite stores it: a whole number if it is one that fits, else a float.
fn decimal(text: &str, number: f64) -> rusqlite::types::Value {
    whole(text).map_or(rusqlite::types::Value::Real(number), rusqlite::types::Value::Integer)
}

/// The whole number that a decimal text is, if it is one that fits. SQLite's own conversion makes a
/// float of every text with a point first, and so loses digits of `9007199254740993.00`.
pub(crate) fn whole(text: &str) -> Option<i64> {
    let is_nothing = |fraction: &str| fraction.bytes().all(|digit| digit == b'0');
    match text.split_once('.') {
        Some((whole, fraction)) if is_nothing(fraction) => whole.parse().ok(),
        Some(_) => None,
        None => text.parse().ok(),
    }
}
