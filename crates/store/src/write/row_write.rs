//! The changes of a statement of a write, as commit events report them.

use duet_document::Codec;
use duet_model::catalog::TableRef;
use duet_model::commit::{Image, set_value};
use duet_model::{Relation, Value};
use duet_sql::Statement;

use crate::commits::Action;

/// What a statement changes. Each [`Call`](crate::Call) says it, so that no statement is left out of commit events.
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

impl RowWrite {
    /// Adds the values that link the row to others.
    pub fn add(&self, image: &mut Image, values: impl IntoIterator<Item = (usize, Value)>) {
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
