//! Commit events: what a committed transaction changed, by relation and row, and who consumes them.
//!
//! A store delivers one [`CommitEvent`] for each commit, before the answer of the write is sent. It names
//! the rows that changed, with the values of the columns that link rows to documents
//! ([`Relation::links`](crate::Relation::links)) before and after, or says of a relation that any of its
//! rows may have changed.

use std::sync::Arc;

use crate::catalog::{Relation, RelationName, TableRef};
use crate::value::Value;

/// Transactions with more row changes than this do not name their rows: any row of the relations that
/// they wrote may have changed.
pub const MOST_ROWS: u64 = 500;

/// Consumes commit events: a cache, a change feed, counters.
///
/// It is called on the thread that commits, and other writes wait meanwhile: it must not block, and must
/// not call the store. A panic is caught and logged.
pub trait CommitConsumer: Send + Sync {
    /// Whether it needs the changed rows. While no consumer does, stores keep no row and fetch no column
    /// for events, and relations come with [`Extent::Counted`].
    fn needs_rows(&self) -> bool {
        true
    }

    /// Takes an event. Events of commits that ran at the same time may come in any order.
    fn committed(&self, event: &CommitEvent<'_>);
}

/// What a commit changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommitEvent<'e> {
    /// Why there is an event.
    pub cause: Cause,
    /// Whether any row of any relation may have changed; `relations` is then empty.
    pub everything: bool,
    /// The relations that changed, each once.
    pub relations: &'e [RelationChange],
}

/// Why there is a commit event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A transaction was committed.
    Commit,
    /// The connection was lost, or the request was cancelled, while `COMMIT` was under way: the
    /// transaction may have been committed, or may still be. No rows are named.
    Unknown,
    /// The connection of an earlier [`Cause::Unknown`] has ended, so its transaction is committed or
    /// rolled back by now. The same relations once more.
    Settled,
    /// Others may have committed anything: another program, or a connection whose changes are not known
    /// row by row.
    Foreign,
    /// The schema has changed.
    Schema,
}

/// What changed of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationChange {
    /// The relation.
    pub relation: ChangedRelation,
    /// How many row changes were counted; a row that was written twice counts twice.
    pub count: u64,
    /// Which rows.
    pub extent: Extent,
}

/// A relation that changed: as the catalog of the write describes it, or by name where the change was a
/// side effect, such as a cascading foreign key's.
#[derive(Clone, Debug)]
pub enum ChangedRelation {
    /// A relation that was written.
    Table(TableRef),
    /// A relation that was reached.
    Named(Arc<RelationName>),
}

impl ChangedRelation {
    /// The schema, as the database spells it.
    pub fn schema(&self) -> &str {
        match self {
            Self::Table(table) => &table.schema,
            Self::Named(name) => &name.schema,
        }
    }

    /// The name, as the database spells it.
    pub fn name(&self) -> &str {
        match self {
            Self::Table(table) => &table.name,
            Self::Named(name) => &name.name,
        }
    }

    /// The relation's description, whose positions of columns the rows of the event use.
    pub fn table(&self) -> Option<&TableRef> {
        match self {
            Self::Table(table) => Some(table),
            Self::Named(_) => None,
        }
    }
}

/// Relations are the same by their names.
impl PartialEq for ChangedRelation {
    fn eq(&self, other: &Self) -> bool {
        (self.schema(), self.name()) == (other.schema(), other.name())
    }
}

/// Which rows of a relation changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// Any row may have changed.
    Any,
    /// Rows changed that no consumer needed when the transaction began. A consumer of rows takes it as
    /// [`Extent::Any`].
    Counted,
    /// These rows, each once.
    Rows(Vec<RowChange>),
}

impl Extent {
    /// The rows; `None` where any row may have changed.
    pub fn rows(&self) -> Option<&[RowChange]> {
        match self {
            Self::Rows(rows) => Some(rows),
            Self::Any | Self::Counted => None,
        }
    }
}

/// Known values of a row by the positions of their columns, in ascending order.
pub type Image = Vec<(usize, Value)>;

/// A row that changed. Each image holds the relation's identity, and of the other linking columns those
/// whose values are known: a column that is missing has an unknown value.
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    /// The row before; `None` where there was none. A row that a bulk load replaces or inserts has an
    /// image with its identity alone.
    pub before: Option<Image>,
    /// The row after; `None` where it is gone.
    pub after: Option<Image>,
}

impl RowChange {
    /// The identity of the row: after the change, or before it where the row is gone.
    pub fn key(&self, relation: &Relation) -> Option<Vec<Value>> {
        let image = self.after.as_ref().or(self.before.as_ref())?;
        key_of(relation.identity(), image)
    }
}

/// The values of these columns in an image; `None` where one is unknown, or there are no columns.
pub fn key_of(columns: &[usize], image: &Image) -> Option<Vec<Value>> {
    if columns.is_empty() {
        return None;
    }
    columns.iter().map(|column| value_of(image, *column).cloned()).collect()
}

/// The value of a column in an image; `None` where it is unknown.
pub fn value_of(image: &Image, column: usize) -> Option<&Value> {
    let at = image.binary_search_by_key(&column, |(known, _)| *known).ok()?;
    image.get(at).map(|(_, value)| value)
}

/// Gives a column of an image a value.
pub fn set_value(image: &mut Image, column: usize, value: Value) {
    match image.binary_search_by_key(&column, |(known, _)| *known) {
        Ok(at) => image[at].1 = value,
        Err(at) => image.insert(at, (column, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Column;
    use crate::types::Type;

    #[test]
    fn images_find_their_columns() {
        let mut image = Image::new();
        for (column, value) in [(4, 1), (0, 2), (2, 3), (4, 5)] {
            set_value(&mut image, column, Value::Int(value));
        }
        assert_eq!(image, [(0, Value::Int(2)), (2, Value::Int(3)), (4, Value::Int(5))]);
        assert_eq!(value_of(&image, 2), Some(&Value::Int(3)));
        assert_eq!(value_of(&image, 1), None);
        assert_eq!(key_of(&[2, 0], &image), Some(vec![Value::Int(3), Value::Int(2)]));
        assert_eq!(key_of(&[1], &image), None);
        assert_eq!(key_of(&[], &image), None);
    }

    #[test]
    fn relations_are_the_same_by_name() {
        let column = Column::new("id", Type::Integer { bits: 64 });
        let table = ChangedRelation::Table(Relation::table("s", "t", vec![column]).into());
        let named = |schema: &str, name: &str| {
            let (schema, name) = (schema.to_owned(), name.to_owned());
            ChangedRelation::Named(Arc::new(RelationName { schema, name }))
        };
        assert_eq!(table, named("s", "t"));
        assert_ne!(table, named("s", "u"));
        assert_ne!(table, named("r", "t"));
        let change = RowChange { before: Some(vec![(0, Value::Int(7))]), after: None };
        let table = table.table().unwrap();
        assert_eq!(change.key(table), Some(vec![Value::Int(7)]));
    }
}
