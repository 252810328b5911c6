//! Bulk loads: batches of checked rows go into a table as fast as the store takes them, and every
//! row that it refuses is found.
//!
//! A load has a connection of its own and a transaction that ends on command. On PostgreSQL
//! a batch is one `COPY` under a savepoint; of a refused one the rows that break a key or a reference
//! are looked up (`postgres/src/bulk/suspects.rs`), and others are found by cutting it (`postgres/src/bulk/search.rs`).
//! On SQLite rows are inserted one by one, each refusal its own.

mod refused;

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use duet_document::Codec;
use duet_document::bulk::{Batch, Group, LoadTable, RefusedRow, RowPosition};
use duet_model::catalog::TableRef;
use duet_model::commit::{Image, RowChange, set_value};
use duet_model::{Code, Error, RelationKind, Result, Value};

use crate::commits::{Action, Changes};
pub use crate::queues::classes::LoadTurn;
use crate::write::row_write::is_linking;
pub use refused::refused;

/// What happens to the rows that are in the table before a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clear {
    /// They stay.
    #[default]
    No,
    /// They are deleted first.
    Delete,
    /// They are truncated, if the store can do that: without triggers, and for all
    /// other sessions at the same moment.
    Truncate,
}

/// What a load is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The table.
    pub table: TableRef,
    /// Its columns as they are served.
    pub target: Arc<LoadTable>,
    /// Rows replace those of the same key, by these columns; empty where they do not.
    pub key: Vec<usize>,
    /// What happens to existing rows.
    pub clear: Clear,
    /// Whether everything is one transaction. Rules that the database checks at the end of a
    /// transaction are then checked there; otherwise after each batch.
    pub whole: bool,
    /// Whether the report has the messages of triggers that refuse rows.
    pub raised_messages: bool,
}

impl Plan {
    /// Whether the database has left rows out without an error, as triggers and rules do, and SQLite's
    /// `ON CONFLICT IGNORE`: it has written fewer than it was sent, with values for `columns`. A row of a
    /// view may be written elsewhere, and one that is there already is not written again where it brings
    /// nothing but the key by which it replaces.
    pub fn leaves_out(&self, columns: &[usize], sent: usize, written: u64) -> bool {
        let is_there =
            !self.key.is_empty() && columns.iter().all(|column| self.key.contains(column));
        self.table.kind == RelationKind::Table && !is_there && written < sent as u64
    }
}

/// A running load. Dropped before its end, its uncommitted rows are rolled back.
#[async_trait(?Send)]
pub trait BulkLoad: Debug {
    /// Counts as under way until the database has ended what it does for it.
    fn hold(&mut self, _turn: &LoadTurn) {}

    /// Writes a batch, and answers which rows the database refuses. Where they are more than
    /// `allowed`, it may stop looking for others: the load is then of no more use.
    ///
    /// # Errors
    /// What is no row's fault: the load is then of no more use.
    async fn batch(&mut self, batch: Batch, allowed: u64) -> Result<Vec<RefusedRow>>;

    /// Makes everything permanent that was written so far.
    ///
    /// # Errors
    /// [`Code::LoadCommitRefused`] where a rule that is checked at the end is broken,
    /// and whatever the database says. Everything since the last commit is undone then.
    async fn commit(&mut self) -> Result<()>;

    /// Checks what a commit would check, and commits nothing: the end of a dry run.
    ///
    /// # Errors
    /// As those of the commit. The load is then of no more use.
    async fn check(&mut self) -> Result<()>;

    /// Rolls back uncommitted rows, and returns the last committed one.
    async fn end(self: Box<Self>) -> RowPosition;
}

/// The refusal at the end of a transaction.
pub fn commit_refused(cause: impl std::fmt::Display) -> Error {
    let message = "A rule that the database checks at the end of a transaction is broken by rows \
                   since the last commit, and these are undone. Correct them and load them again; \
                   with batchesPerCommit above 0 the rows are named where the database can check \
                   earlier.";
    Error::new(Code::LoadCommitRefused, message).cause(cause)
}

/// Notes that the table is cleared.
pub fn note_clear(plan: &Plan, changes: &mut Changes) {
    changes.any(&plan.table, Action::Delete);
}

/// Notes the rows of a batch that were written: all but those that were found to be refused.
pub fn note(plan: &Plan, batch: &Batch, found: &[RefusedRow], changes: &mut Changes) {
    let action = if plan.key.is_empty() { Action::Insert } else { Action::Upsert };
    // In their order.
    let is_kept = |place: &RowPosition| found.binary_search_by_key(place, |it| it.place).is_err();
    for group in &batch.rows {
        let count = match found {
            [] => group.places.len(),
            _ => group.places.iter().filter(|place| is_kept(place)).count(),
        };
        changes.rows(&plan.table, action, count as u64, || {
            let rows = group.places.iter().enumerate().filter(|(_, place)| is_kept(place));
            Some(rows.map(|(row, _)| change(plan, group, row)).collect())
        });
    }
}

/// A row that was written. Whether there was one of its key before is not known where rows replace others.
fn change(plan: &Plan, group: &Group, row: usize) -> RowChange {
    let table = &plan.table;
    let mut after = Image::new();
    for (at, &column) in group.columns.iter().enumerate() {
        if is_linking(table, column) {
            let value = Codec::of(&table.columns[column].ty).value(group.rows.get(row, at));
            set_value(&mut after, column, value);
        }
    }
    let is_key = |(column, _): &&(usize, Value)| table.identity().contains(column);
    let key = || after.iter().filter(is_key).cloned().collect();
    let before = (!plan.key.is_empty()).then(key);
    RowChange { before, after: Some(after) }
}

/// How many rows a batch has to write.
pub fn rows_of(batch: &Batch) -> u64 {
    batch.rows.iter().map(|group| group.places.len() as u64).sum()
}
