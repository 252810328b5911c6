//! The scratch database of the check: the tables that are there, empty and as SQLite has them, whatever store they are
//! in. Conditions and defaults of the database itself are not in it.

use duet_model::catalog::{GeneratedValue, TableRef};
use duet_model::{Catalog, Column, RelationKind, Type};

use crate::commands::drafts::infer::schema::{list, quoted};

/// The statements that make the tables.
pub(super) fn tables(catalog: &Catalog) -> String {
    let tables = catalog.relations.iter().filter(|one| one.kind == RelationKind::Table);
    tables.map(table).collect()
}

fn table(relation: &TableRef) -> String {
    let names = |columns: &[usize]| -> Vec<String> {
        columns.iter().map(|&at| relation.columns[at].name.clone()).collect()
    };
    let is_key_alone = |at: usize| relation.primary_key == [at];
    let mut lines: Vec<String> = Vec::new();
    for (at, column) in relation.columns.iter().enumerate() {
        let is_integer = matches!(column.ty, Type::Integer { .. });
        // An INTEGER that is the whole key is made by SQLite where it is missing, as a sequence would.
        let ty = if is_key_alone(at) && is_integer { "INTEGER" } else { sqlite_type(column) };
        let has_other = column.default.is_some() || column.generated != GeneratedValue::No;
        let not_null = if column.not_null && !has_other { " NOT NULL" } else { "" };
        lines.push(format!("{} {ty}{not_null}", quoted(&column.name)));
    }
    if !relation.primary_key.is_empty() {
        lines.push(format!("PRIMARY KEY ({})", list(&names(&relation.primary_key))));
    }
    for key in &relation.unique_keys {
        lines.push(format!("UNIQUE ({})", list(&names(&key.columns))));
    }
    for key in &relation.foreign_keys {
        lines.push(format!(
            "FOREIGN KEY ({}) REFERENCES {} ({})",
            list(&names(&key.columns)),
            quoted(&key.references_table),
            list(&key.references_columns)
        ));
    }
    format!("CREATE TABLE {} (\n  {}\n);\n", quoted(&relation.name), lines.join(",\n  "))
}

/// How SQLite declares a column whose values have the same JSON.
fn sqlite_type(column: &Column) -> &str {
    match &column.ty {
        Type::Boolean => "boolean",
        Type::Integer { .. } => "bigint",
        Type::Decimal { .. } => "numeric",
        Type::Float { .. } => "double precision",
        Type::Binary => "blob",
        Type::Uuid => "uuid",
        Type::Date => "date",
        Type::Time => "time",
        Type::TimeTz => "timetz",
        Type::Timestamp => "timestamp",
        Type::TimestampTz => "timestamptz",
        Type::Interval => "interval",
        Type::Json | Type::Array(_) | Type::Composite(_) => "json",
        Type::Dynamic => "any",
        Type::Text
        | Type::Char
        | Type::Enum(_)
        | Type::Formatted(_)
        | Type::Pair(_)
        | Type::Native(_)
        | Type::Other => "text",
    }
}
