//! Filling a table: PostgreSQL by COPY, SQLite by one prepared INSERT.

use std::pin::Pin;

use bytes::{BufMut, Bytes, BytesMut};
use duet_model::Value;
use futures_util::SinkExt;
use tokio_postgres::CopyInSink;

use super::sqlite::BoundParameter;
use super::{Failure, RowBuffer, postgres, sqlite};
use crate::copy_text;

/// The size of the pieces sent to PostgreSQL.
const PIECE: usize = 64 * 1024;

/// A table being filled.
pub struct CopyIn<'a>(Sink<'a>);

enum Sink<'a> {
    Postgres { sink: Pin<Box<CopyInSink<Bytes>>>, piece: BytesMut },
    Sqlite { statement: rusqlite::CachedStatement<'a>, rows: u64 },
}

impl<'a> CopyIn<'a> {
    pub(super) async fn postgres(
        connection: &'a postgres::Connection,
        table: &str,
        columns: &[&str],
    ) -> Result<Self, Failure> {
        let sql = format!("COPY {} ({}) FROM STDIN", quoted(table), list(columns));
        let sink = connection.client().copy_in(&sql).await;
        let sink = sink.map_err(|error| Failure::postgres(&error))?;
        Ok(Self(Sink::Postgres { sink: Box::pin(sink), piece: BytesMut::with_capacity(PIECE) }))
    }

    pub(super) fn sqlite(
        connection: &'a sqlite::Connection,
        table: &str,
        columns: &[&str],
    ) -> Result<Self, Failure> {
        let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
        let (table, names) = (quoted(table), list(columns));
        let sql = format!("INSERT INTO {table} ({names}) VALUES ({})", places.join(", "));
        let statement = connection.connection().prepare_cached(&sql);
        let statement = statement.map_err(|error| Failure::sqlite(&error))?;
        Ok(Self(Sink::Sqlite { statement, rows: 0 }))
    }

    /// Adds a row, as many values as there are columns.
    ///
    /// # Errors
    /// What the database said; on PostgreSQL it may be about an earlier row.
    pub async fn row(&mut self, values: &[Value]) -> Result<(), Failure> {
        match &mut self.0 {
            Sink::Postgres { sink, piece } => {
                write_line(values, piece);
                if piece.len() < PIECE - PIECE / 8 {
                    return Ok(());
                }
                let full = piece.split().freeze();
                piece.reserve(PIECE);
                sink.send(full).await.map_err(|error| Failure::postgres(&error))
            }
            Sink::Sqlite { statement, rows } => {
                let parameters = rusqlite::params_from_iter(values.iter().map(BoundParameter));
                statement.execute(parameters).map_err(|error| Failure::sqlite(&error))?;
                *rows += 1;
                Ok(())
            }
        }
    }

    /// Adds rows that were made ahead; the buffer is empty then.
    ///
    /// # Errors
    /// What the database said; or where they were made for another store.
    pub async fn rows(&mut self, rows: &mut RowBuffer) -> Result<(), Failure> {
        match &mut self.0 {
            Sink::Postgres { sink, piece } => {
                let failed = |error: tokio_postgres::Error| Failure::postgres(&error);
                let lines = rows.take_lines()?;
                if !piece.is_empty() {
                    sink.feed(piece.split().freeze()).await.map_err(failed)?;
                }
                sink.feed(lines).await.map_err(failed)
            }
            Sink::Sqlite { statement, rows: done } => {
                *done += rows.run_each(statement)?;
                Ok(())
            }
        }
    }

    /// Ends; the number of rows that the table took.
    ///
    /// # Errors
    /// The error of any row; PostgreSQL then stores none of them.
    pub async fn finish(self) -> Result<u64, Failure> {
        match self.0 {
            Sink::Postgres { mut sink, piece } => {
                let failed = |error: tokio_postgres::Error| Failure::postgres(&error);
                if !piece.is_empty() {
                    sink.send(piece.freeze()).await.map_err(failed)?;
                }
                sink.as_mut().finish().await.map_err(failed)
            }
            Sink::Sqlite { rows, .. } => Ok(rows),
        }
    }
}

fn write_line(values: &[Value], out: &mut BytesMut) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.put_u8(copy_text::BETWEEN);
        }
        match value {
            Value::Null => copy_text::null(out),
            Value::Int(value) => copy_text::int(*value, out),
            Value::Text(text) => copy_text::text(text.as_bytes(), out),
            Value::Bytes(bytes) => copy_text::bytes(bytes, out),
            other => out.put_slice(other.to_string().as_bytes()),
        }
    }
    out.put_u8(copy_text::END);
}

fn list(columns: &[&str]) -> String {
    columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
}

/// A name, quoted; with a schema where it has a dot.
fn quoted(name: &str) -> String {
    let part = |part: &str| format!("\"{}\"", part.replace('"', "\"\""));
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_copy() {
        let mut line = BytesMut::new();
        let values = [
            Value::Null,
            Value::Int(-7),
            Value::Text("a\tb\\c\nd".into()),
            Value::Bytes(vec![1, 255]),
            Value::Bool(true),
        ];
        write_line(&values, &mut line);
        assert_eq!(&line[..], b"\\N\t-7\ta\\tb\\\\c\\nd\t\\\\x01ff\ttrue\n");
    }
}
