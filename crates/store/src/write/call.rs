//! A statement of a write, what it did, and the changes that commit events report of it.

use duet_document::{Codec, RowSet};
use duet_model::Value;
use duet_model::commit::{Image, RowChange};
use duet_sql::Statement;

use crate::commits::{Action, Changes};
use crate::write::row_write::{LinksRead, RowWrite, Writes};

/// A statement of a write. Its parameters are all [`duet_sql::Parameter::Value`].
#[derive(Clone, Debug)]
pub struct Call {
    /// The statement.
    pub statement: Statement,
    /// The codecs of the columns that come back (`RETURNING`); none where nothing does.
    pub codecs: Vec<Codec>,
    /// What it changes.
    pub writes: Writes,
}

/// What a call did.
#[derive(Clone, Debug)]
pub struct Done {
    /// How many rows were inserted, updated or deleted; what triggers do beside is not counted.
    /// A row that a trigger or row security keeps out is not counted either.
    pub affected: u64,
    /// The rows that came back.
    pub rows: RowSet,
}

impl Call {
    /// The read of the row before, where there is one.
    pub fn links(&self) -> Option<&LinksRead> {
        match &self.writes {
            Writes::Row(RowWrite { known: Some(known), .. }) => known.before.as_ref(),
            _ => None,
        }
    }

    /// Records the changes of the call. `before`: the result of [`Call::links`].
    pub fn note(&self, done: &Done, before: Option<&RowSet>, changes: &mut Changes) {
        match &self.writes {
            Writes::Nothing => {}
            Writes::AnyRow(table, action) => changes.any(table, *action),
            Writes::Everything => changes.everything(),
            Writes::Row(write) => {
                changes.rows(&write.table, write.action, done.affected, || {
                    Some(vec![self.row(write, done, before)?])
                });
            }
        }
    }

    /// The row that it writes, as commit events report it.
    fn row(&self, write: &RowWrite, done: &Done, before: Option<&RowSet>) -> Option<RowChange> {
        let known = write.known.as_ref().filter(|_| done.affected == 1)?;
        let mut was = Image::new();
        write.add(&mut was, known.key.iter().cloned());
        if let (Some(read), Some(rows)) = (&known.before, before) {
            write.add(&mut was, values(&read.columns, &read.codecs, rows));
        }
        let mut is = was.clone();
        write.add(&mut is, values(&known.returned, &self.codecs, &done.rows));
        write.add(&mut is, known.set.iter().cloned());
        Some(match write.action {
            Action::Insert => RowChange { before: None, after: Some(is) },
            Action::Delete => RowChange { before: Some(was), after: None },
            Action::Update { .. } | Action::Upsert => {
                RowChange { before: Some(was), after: Some(is) }
            }
        })
    }
}

/// The values of the first row.
fn values<'r>(
    columns: &'r [Option<usize>],
    codecs: &'r [Codec],
    rows: &'r RowSet,
) -> impl Iterator<Item = (usize, Value)> {
    let columns = if rows.is_empty() { &[] } else { columns };
    let each = columns.iter().zip(codecs).enumerate();
    each.filter_map(|(at, (column, codec))| Some(((*column)?, codec.value(rows.get(0, at)))))
}
