//! The changes of a statement of a write, as commit events report them.

use duet_document::{Codec, RowSet};
use duet_model::catalog::TableRef;
use duet_model::commit::{Image, RowChange, set_value};
use duet_model::{Relation, Value};
use duet_sql::Statement;

use crate::commits::{Action, Changes};
use crate::write::{Call, Done};

/// What a statement changes. Each [`Call`] says it, so that no statement is left out of commit events.
#[derive(Clone, Debug)]
pub enum Writes {
    /// Nothing: it reads.
    Nothing,
    /// Rows of a table.
    Row(RowWrite),
    /// Any row of a table, in this way.
    AnyRow(TableRef, Action),
    /// Rows of any relation: it runs code of the database.
    Everything,
}

/// The row that a statement writes.
#[derive(Clone, Debug)]
pub struct RowWrite {
    /// Its table.
    pub table: TableRef,
    /// What is done to it.
    pub action: Action,
    /// What is known of it; `None` where [`Session::records`](crate::Session::records) needs nothing.
    pub known: Option<Box<KnownRow>>,
}

/// The known values of a row before a statement writes it, and the source of the others.
#[derive(Clone, Debug, Default)]
pub struct KnownRow {
    /// The columns that find it; empty for a new row.
    pub key: Vec<(usize, Value)>,
    /// The values that it gets.
    pub set: Vec<(usize, Value)>,
    /// The columns that the statement returns, in its order; `None` for expressions.
    pub returned: Vec<Option<usize>>,
    /// Reads the linking columns of the row before it is written.
    pub before: Option<LinksRead>,
}

/// A statement that reads columns of one row.
#[derive(Clone, Debug)]
pub struct LinksRead {
    /// The statement.
    pub statement: Statement,
    /// The columns, in its order.
    pub columns: Vec<Option<usize>>,
    /// Their codecs.
    pub codecs: Vec<Codec>,
}

impl Call {
    /// The read of the row before, where there is one.
    pub(crate) fn links(&self) -> Option<&LinksRead> {
        match &self.writes {
            Writes::Row(RowWrite { known: Some(known), .. }) => known.before.as_ref(),
            _ => None,
        }
    }

    /// Records the changes of the call. `before`: the result of [`Call::links`].
    pub(crate) fn note(&self, done: &Done, before: Option<&RowSet>, changes: &mut Changes) {
        match &self.writes {
            Writes::Nothing => {}
            Writes::AnyRow(table, action) => changes.any(table, *action),
            Writes::Everything => changes.everything(),
            Writes::Row(write) => {
                let row = (&write.table, write.action, done.affected);
                changes.rows(row, || Some(vec![write.row(self, done, before)?]));
            }
        }
    }
}

impl RowWrite {
    fn row(&self, call: &Call, done: &Done, before: Option<&RowSet>) -> Option<RowChange> {
        let known = self.known.as_ref().filter(|_| done.affected == 1)?;
        let mut was = Image::new();
        self.add(&mut was, known.key.iter().cloned());
        if let (Some(read), Some(rows)) = (&known.before, before) {
            self.add(&mut was, values(&read.columns, &read.codecs, rows));
        }
        let mut is = was.clone();
        self.add(&mut is, values(&known.returned, &call.codecs, &done.rows));
        self.add(&mut is, known.set.iter().cloned());
        Some(match self.action {
            Action::Insert => RowChange { before: None, after: Some(is) },
            Action::Delete => RowChange { before: Some(was), after: None },
            Action::Update { .. } | Action::Upsert => {
                RowChange { before: Some(was), after: Some(is) }
            }
        })
    }

    fn add(&self, image: &mut Image, values: impl IntoIterator<Item = (usize, Value)>) {
        for (column, value) in values {
            if is_linking(&self.table, column) {
                set_value(image, column, value);
            }
        }
    }
}

/// Whether the values of a column belong into the images of events.
pub(crate) fn is_linking(table: &Relation, column: usize) -> bool {
    table.links.binary_search(&column).is_ok()
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
