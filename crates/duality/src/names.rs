//! The names that messages and printed definitions use for tables and columns.

use duet_model::{Column, Relation};

/// The name a table is served under, else as the database spells it.
pub(crate) fn of_table(table: &Relation) -> &str {
    table.alias.as_deref().unwrap_or(&table.name)
}

/// The name a column is served under, else as the database spells it.
pub(crate) fn of_column(column: &Column) -> &str {
    column.alias.as_deref().unwrap_or(&column.name)
}

/// The same by position.
pub(crate) fn of(table: &Relation, column: usize) -> &str {
    of_column(&table.columns[column])
}
