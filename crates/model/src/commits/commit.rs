//! Commit events: the changes of a committed transaction, by relation and row, and their consumers.
//!
//! A store delivers one [`CommitEvent`] for each commit, before the response of the write is sent. It
//! lists the changed rows with the values of their linking columns
//! ([`Relation::links`](crate::Relation::links)) before and after, or reports for a relation that any
//! of its rows may have changed.

use std::sync::Arc;

use crate::catalog::{Relation, RelationName, TableRef};
use crate::values::value::Value;

/// The maximum number of row changes in an event. After a larger transaction, any row of the written
/// relations may have changed.
pub const MOST_ROWS: u64 = 500;

/// Consumes commit events: a cache, a change feed, counters.
///
/// It runs on the thread that commits while other writes wait: it must not block and must not call the
/// store. A panic is caught and logged.
pub trait CommitConsumer: Send + Sync {
    /// Whether it needs the changed rows. If no consumer does, stores neither keep rows nor fetch
    /// columns for events, and relations have [`Extent::Counted`].
    fn needs_rows(&self) -> bool {
        true
    }

    /// Handles an event. Events of concurrent commits may arrive in any order.
    fn committed(&self, event: &CommitEvent<'_>);
}

/// The changes of a commit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommitEvent<'e> {
    /// The cause of the event.
    pub cause: Cause,
    /// Whether any row of any relation may have changed; `relations` is then empty.
    pub everything: bool,
    /// The relations that changed, each once.
    pub relations: &'e [RelationChange],
}

/// The cause of a commit event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A transaction was committed.
    Commit,
    /// The connection was lost, or the request was cancelled, during `COMMIT`: the transaction may have
    /// been committed or may be committed later. No rows are listed.
    Unknown,
    /// The connection of an earlier [`Cause::Unknown`] has ended, so its transaction is now committed or
    /// rolled back. Repeats the same relations.
    Settled,
    /// Others may have committed anything: another program, or a connection whose changes are not known
    /// row by row.
    Foreign,
    /// The schema has changed.
    Schema,
}

/// The changes of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationChange {
    /// The relation.
    pub relation: ChangedRelation,
    /// The number of row changes; a row that was written twice counts twice.
    pub count: u64,
    /// The changed rows.
    pub extent: Extent,
}

/// A changed relation: with its description in the catalog of the write, or by name if the change was a
/// side effect, such as a foreign key's cascade.
#[derive(Clone, Debug)]
pub enum ChangedRelation {
    /// A relation that was written.
    Table(TableRef),
    /// A relation that was changed by a side effect.
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

    /// The relation's description, whose column positions the rows of the event use.
    pub fn table(&self) -> Option<&TableRef> {
        match self {
            Self::Table(table) => Some(table),
            Self::Named(_) => None,
        }
    }
}

/// Compares by schema and name.
impl PartialEq for ChangedRelation {
    fn eq(&self, other: &Self) -> bool {
        (self.schema(), self.name()) == (other.schema(), other.name())
    }
}

/// The changed rows of a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// Any row may have changed.
    Any,
    /// Rows changed, but no consumer needed them when the transaction began. Consumers of rows must
    /// treat it as [`Extent::Any`].
    Counted,
    /// These rows, each once.
    Rows(Vec<RowChange>),
}

impl Extent {
    /// The rows; `None` if any row may have changed.
    pub fn rows(&self) -> Option<&[RowChange]> {
        match self {
            Self::Rows(rows) => Some(rows),
            Self::Any | Self::Counted => None,
        }
    }
}

/// The known values of a row with their column positions, in ascending order.
pub type Image = Vec<(usize, Value)>;

/// A changed row. Each image contains the relation's identity and those of the other linking columns
/// whose values are known.
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    /// The row before the change; `None` for an insert. A row that a bulk load replaces or inserts has
    /// an image with only its identity.
    pub before: Option<Image>,
    /// The row after the change; `None` for a delete.
    pub after: Option<Image>,
}

impl RowChange {
    /// The identity of the row: after the change, or before a delete.
    pub fn key(&self, relation: &Relation) -> Option<Vec<Value>> {
        let image = self.after.as_ref().or(self.before.as_ref())?;
        key_of(relation.identity(), image)
    }
}

/// The values of these columns in an image; `None` if one is unknown, or there are no columns.
pub fn key_of(columns: &[usize], image: &Image) -> Option<Vec<Value>> {
    if columns.is_empty() {
        return None;
    }
    columns.iter().map(|column| value_of(image, *column).cloned()).collect()
}

/// The value of a column in an image; `None` if unknown.
pub fn value_of(image: &Image, column: usize) -> Option<&Value> {
    let at = image.binary_search_by_key(&column, |(known, _)| *known).ok()?;
    image.get(at).map(|(_, value)| value)
}

/// Sets the value of a column in an image.
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
    use crate::values::types::Type;

    #[test]
    fn finds_and_sets_columns_of_an_image() {
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
    fn relations_are_equal_by_name() {
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
