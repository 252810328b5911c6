//! Rows of a table in the order of its key, a batch at a time.

use duet_document::{Datum, RowSet};
use duet_model::Result;
use duet_store::setup::copy::CopiedRows;
use duet_store::setup::load::quoted;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

/// Rows of a batch at most.
const ROWS: usize = 10_000;
/// A batch ends behind the row with which it has so many bytes.
const BYTES: usize = 8 << 20;

/// Names by which a table numbers its rows; one that is a column's is that column.
const ROW_NUMBERS: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The rows of a table that are left.
pub(super) struct TableRows<'c> {
    connection: &'c Connection,
    /// Columns and table, up to the condition.
    select: String,
    /// The columns of the key, quoted, with commas between them.
    key: String,
    width: usize,
    key_width: usize,
    /// The key of the last row; none before the first.
    last: Vec<Value>,
    /// Rows to pass over before the first.
    behind: u64,
    is_over: bool,
}

impl<'c> TableRows<'c> {
    /// The rows behind so many.
    ///
    /// # Errors
    /// If the table's columns cannot be read.
    pub(super) fn new(
        connection: &'c Connection,
        table: &str,
        columns: &[String],
        behind: u64,
    ) -> rusqlite::Result<Self> {
        let key = key(connection, table)?;
        let all: Vec<String> = columns.iter().chain(&key).map(|name| quoted(name)).collect();
        let quoted_key: Vec<String> = key.iter().map(|name| quoted(name)).collect();
        Ok(Self {
            connection,
            select: format!("SELECT {} FROM main.{}", all.join(", "), quoted(table)),
            key: quoted_key.join(", "),
            width: columns.len(),
            key_width: key.len(),
            last: Vec::new(),
            behind,
            is_over: false,
        })
    }

    fn statement(&self) -> String {
        let Self { select, key, key_width, .. } = self;
        let condition = match self.last.is_empty() {
            true => String::new(),
            false => format!(" WHERE ({key}) > ({})", vec!["?"; *key_width].join(", ")),
        };
        format!("{select}{condition} ORDER BY {key} LIMIT {ROWS} OFFSET {}", self.behind)
    }

    fn batch(&mut self) -> rusqlite::Result<RowSet> {
        let mut statement = self.connection.prepare_cached(&self.statement())?;
        let mut rows = statement.query(params_from_iter(&self.last))?;
        let mut batch = RowSet::new(self.width);
        let mut count = 0;
        let mut last = Vec::new();
        while batch.size() < BYTES
            && let Some(row) = rows.next()?
        {
            for at in 0..self.width {
                batch.push(datum(row.get_ref(at)?));
            }
            count += 1;
            last.clear();
            for at in self.width..self.width + self.key_width {
                last.push(row.get(at)?);
            }
        }
        (self.is_over, self.behind) = (count == 0, 0);
        self.last = last;
        Ok(batch)
    }
}

impl CopiedRows for TableRows<'_> {
    fn next(&mut self) -> Result<Option<RowSet>> {
        if self.is_over {
            return Ok(None);
        }
        let batch = self.batch().map_err(super::unreadable)?;
        Ok((!self.is_over).then_some(batch))
    }
}

fn datum(value: ValueRef<'_>) -> Datum<'_> {
    match value {
        ValueRef::Null => Datum::Null,
        ValueRef::Integer(value) => Datum::Int(value),
        ValueRef::Real(value) => Datum::Real(value),
        ValueRef::Text(text) => Datum::Text(text),
        ValueRef::Blob(bytes) => Datum::Blob(bytes),
    }
}

/// What orders the rows of a table and differs in each: its row number, or its primary key where it has none.
pub(super) fn key(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let without_number: bool = connection.query_row(
        "SELECT wr FROM pragma_table_list(?1) WHERE schema = 'main'",
        [table],
        |row| row.get(0),
    )?;
    let mut statement = connection
        .prepare_cached("SELECT name, pk FROM pragma_table_xinfo(?1, 'main') ORDER BY pk")?;
    let columns = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns = columns.collect::<rusqlite::Result<Vec<(String, i64)>>>()?;
    let is_free =
        |number: &&&str| !columns.iter().any(|(name, _)| name.eq_ignore_ascii_case(number));
    let number = ROW_NUMBERS.iter().find(is_free).filter(|_| !without_number);
    Ok(match number {
        Some(number) => vec![(*number).to_owned()],
        None => {
            columns.iter().filter(|(_, place)| *place > 0).map(|(name, _)| name.clone()).collect()
        }
    })
}
