//! The names that messages and printed definitions use for tables and columns.

use std::fmt::Write as _;

use duet_model::catalog::same_name;
use duet_model::{Column, Relation};

use crate::ast::TableName;

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

/// A table's name as a definition has it.
pub(crate) fn of_table_name(table: &TableName) -> String {
    match &table.schema {
        Some(schema) => format!("{}.{}", schema.text, table.name.text),
        None => table.name.text.clone(),
    }
}

/// Whether a table has this name, ignoring case.
pub(crate) fn called(table: &Relation, name: &str) -> bool {
    same_name(&table.name, name) || table.alias.as_ref().is_some_and(|alias| same_name(alias, name))
}

/// Text in double quotes, as GraphQL and the lexer read it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            char if char.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}
