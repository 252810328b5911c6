//! A try of what a copy does with tables that are there: their columns and rights, and the rows in temporary tables of
//! the same columns and conditions. Everything is undone, and every mistake is found.

use std::collections::BTreeMap;

use duet_client::sqlstate;
use duet_document::RowSet;
use duet_model::{Error, Result};
use duet_store::setup::copy::{CopyDestination, CopyProgress, CopySource};
use duet_store::setup::load::quoted;
use futures_util::SinkExt as _;
use tokio_postgres::{Client, Transaction};

use super::{failed, message_of, row_error, set_references_aside};
use crate::bulk::copy::Pieces;

/// The temporary table that takes the rows.
const TRIAL: &str = "pg_temp.duet_copy_trial";

/// A column of a table that is there.
struct KeptColumn {
    name: String,
    not_null: bool,
    /// Whether the database makes the value of rows without one.
    makes_its_own: bool,
    is_computed: bool,
}

/// A table that is there, as far as a copy needs it.
struct KeptTable {
    columns: Vec<KeptColumn>,
    /// Whether triggers may change rows before they are looked at.
    has_triggers: bool,
    /// Whether it is a view that no trigger writes to.
    takes_no_rows: bool,
}

/// How far the tables of a copy are, by the names of those that they come from.
pub(super) async fn noted(client: &Client, from: &str) -> Result<BTreeMap<String, CopyProgress>> {
    let there = client.query_one("SELECT to_regclass('duet.copies') IS NOT NULL", &[]).await;
    if !there.map_err(|error| failed(&error))?.get::<_, bool>(0) {
        return Ok(BTreeMap::new());
    }
    let known = "SELECT table_name, rows, is_complete FROM duet.copies WHERE source = $1";
    let rows = client.query(known, &[&from]).await.map_err(|error| failed(&error))?;
    let progress = |row: &tokio_postgres::Row| {
        let rows = row.get::<_, i64>(1).unsigned_abs();
        (row.get(0), CopyProgress { rows, is_complete: row.get(2) })
    };
    Ok(rows.iter().map(progress).collect())
}

/// Tries one table; what it does not take, in words. `progress`: what an interrupted copy has brought.
pub(super) async fn mistakes(
    transaction: &mut Transaction<'_>,
    name: &str,
    of: &CopyDestination,
    progress: Option<CopyProgress>,
    rows: Option<&dyn CopySource>,
) -> Result<Vec<String>> {
    let Some(table) = kept(transaction, name).await? else {
        let is_made_later = of.is_own && progress.is_none();
        let why = format!("{}: there is no such table", of.table);
        return Ok(if is_made_later { Vec::new() } else { vec![why] });
    };
    let mut found = wrong_columns(&table, of);
    if table.takes_no_rows {
        found.push(format!("{}: it is a view, which takes no rows", of.table));
        return Ok(found);
    }
    if progress.is_none()
        && !of.is_shared
        && let Some(why) = CopyTrial::begin(transaction).await?.has_rows(name).await?
    {
        found.push(format!("{}: {why}", of.table));
    }
    if found.is_empty() {
        let tried = CopyTrial::begin(transaction).await?.emptily(name, of).await?;
        found.extend(tried.map(|why| format!("{}: it takes no rows: {why}", of.table)));
    }
    let is_complete = progress.is_some_and(|it| it.is_complete);
    if let Some(source) = rows.filter(|_| found.is_empty() && !of.is_own && !is_complete) {
        let behind = progress.map_or(0, |it| it.rows);
        found.extend(
            CopyTrial::begin(transaction).await?.rows(&table, name, of, source, behind).await?,
        );
    }
    Ok(found)
}

/// A table or view; `None` where there is none.
async fn kept(transaction: &Transaction<'_>, name: &str) -> Result<Option<KeptTable>> {
    const TABLE: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger
            WHERE tgrelid = c.oid AND NOT tgisinternal AND tgenabled IN ('O', 'A') AND tgtype & 4 = 4),
            c.relkind = 'm' OR c.relkind = 'v' AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger
                WHERE tgrelid = c.oid AND tgtype & 68 = 68)
        FROM pg_catalog.pg_class c WHERE c.oid = to_regclass($1::text)";
    const COLUMNS: &str =
        "SELECT attname::text, attnotnull, atthasdef OR attidentity <> '', attgenerated <> ''
        FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass($1::text) AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
    let table = transaction.query_opt(TABLE, &[&name]).await.map_err(|error| failed(&error))?;
    let Some(table) = table else { return Ok(None) };
    let rows = transaction.query(COLUMNS, &[&name]).await.map_err(|error| failed(&error))?;
    let column = |row: &tokio_postgres::Row| KeptColumn {
        name: row.get(0),
        not_null: row.get(1),
        makes_its_own: row.get(2),
        is_computed: row.get(3),
    };
    let columns = rows.iter().map(column).collect();
    Ok(Some(KeptTable { columns, has_triggers: table.get(0), takes_no_rows: table.get(1) }))
}

/// Columns that are missing, that take no value, and that have none.
fn wrong_columns(table: &KeptTable, of: &CopyDestination) -> Vec<String> {
    let mut found = Vec::new();
    for name in &of.columns {
        match table.columns.iter().find(|column| column.name == *name) {
            None => found.push(format!("{}.{name}: there is no such column", of.table)),
            Some(column) if column.is_computed => {
                found.push(format!("{}.{name}: the database computes it", of.table));
            }
            Some(_) => {}
        }
    }
    let required =
        |column: &&KeptColumn| column.not_null && !column.makes_its_own && !table.has_triggers;
    let left = table.columns.iter().filter(|column| !of.columns.contains(&column.name));
    found.extend(left.filter(required).map(|column| {
        let place = format!("{}.{}", of.table, column.name);
        format!("{place}: it is NOT NULL without a default, and the file has no such column")
    }));
    found
}

/// A part of a transaction that is undone.
struct CopyTrial<'t>(Transaction<'t>);

impl<'t> CopyTrial<'t> {
    async fn begin(transaction: &'t mut Transaction<'_>) -> Result<Self> {
        transaction.transaction().await.map(Self).map_err(|error| failed(&error))
    }

    /// Undoes everything; what the database said, in words.
    async fn undone(
        self,
        outcome: std::result::Result<(), tokio_postgres::Error>,
    ) -> Result<Option<String>> {
        let said = match outcome {
            Ok(()) => None,
            Err(error) if error.as_db_error().is_some() => Some(message_of(&error)),
            Err(error) => return Err(sqlstate::error_of(&error)),
        };
        self.0.rollback().await.map_err(|error| failed(&error))?;
        Ok(said)
    }

    async fn has_rows(self, name: &str) -> Result<Option<String>> {
        let sql = format!("SELECT EXISTS (SELECT FROM {name})");
        let asked = self.0.query_one(&sql, &[]).await;
        let has_rows = asked.as_ref().is_ok_and(|row| row.get(0));
        let said = self.undone(asked.map(drop)).await?;
        Ok(said.or_else(|| has_rows.then(|| "it has rows already".to_owned())))
    }

    /// Sets references aside, and writes no row.
    async fn emptily(self, name: &str, of: &CopyDestination) -> Result<Option<String>> {
        let tried = async {
            set_references_aside(&self.0, name).await?;
            write(&self.0, name, of, &RowSet::new(of.columns.len())).await
        };
        let outcome = tried.await;
        self.undone(outcome).await
    }

    /// Writes the rows batch by batch to a table of the same columns and conditions, up to the first that it refuses.
    async fn rows(
        mut self,
        table: &KeptTable,
        name: &str,
        of: &CopyDestination,
        source: &dyn CopySource,
        behind: u64,
    ) -> Result<Option<String>> {
        self.0.batch_execute(&made(table, name, of)).await.map_err(|error| failed(&error))?;
        let mut batches = source.rows(&of.from, &of.columns, behind)?;
        let mut said = None;
        while let Some(batch) = batches.next()?
            && said.is_none()
        {
            let part = CopyTrial::begin(&mut self.0).await?;
            let outcome = write(&part.0, TRIAL, of, &batch).await;
            let why = outcome.as_ref().err().map(|error| row_error(error, of));
            said = part.undone(outcome).await?.and(why);
        }
        self.0.rollback().await.map_err(|error| failed(&error))?;
        Ok(said.map(|Error { message, .. }| message.trim_end_matches('.').to_owned()))
    }
}

/// What makes the table that takes the rows: without the columns whose values the database makes, and without
/// conditions where triggers may change the rows.
fn made(table: &KeptTable, name: &str, of: &CopyDestination) -> String {
    let conditions = if table.has_triggers { "" } else { " INCLUDING CONSTRAINTS" };
    let mut sql = format!("CREATE TEMPORARY TABLE duet_copy_trial (LIKE {name}{conditions})");
    for column in &table.columns {
        let name = quoted(&column.name);
        if table.has_triggers && column.not_null {
            sql.push_str(&format!("; ALTER TABLE {TRIAL} ALTER {name} DROP NOT NULL"));
        }
        if !of.columns.contains(&column.name) && (column.makes_its_own || column.is_computed) {
            sql.push_str(&format!("; ALTER TABLE {TRIAL} DROP {name} CASCADE"));
        }
    }
    sql
}

/// Writes rows to a table.
pub(super) async fn write(
    transaction: &Transaction<'_>,
    name: &str,
    of: &CopyDestination,
    rows: &RowSet,
) -> std::result::Result<(), tokio_postgres::Error> {
    let columns: Vec<String> = of.columns.iter().map(|name| quoted(name)).collect();
    let copy = format!("COPY {name} ({}) FROM STDIN", columns.join(", "));
    let mut sink = Box::pin(transaction.copy_in(&copy).await?);
    let all: Vec<usize> = (0..rows.len()).collect();
    for piece in Pieces::of_rows(rows, &all) {
        sink.feed(piece).await?;
    }
    sink.as_mut().finish().await.map(drop)
}
