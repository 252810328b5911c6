//! Copies of some documents of collections, in which indexes are tried without touching the tables themselves: a schema
//! of its own on PostgreSQL, a file of its own on SQLite.

use duet_model::CollectionTable;
use duet_model::collection::{DOCUMENT, KEY};
use duet_sql::in_order_of_references;

/// The statements that copy up to so many documents of each table, those alone whose references are in the copy.
pub fn copies(tables: Vec<CollectionTable>, [to, from]: [&str; 2], rows: u64) -> Vec<String> {
    let copy = |table: &CollectionTable| {
        let name = quoted(&table.name);
        let (own, columns) =
            (format!("{to}.{name}"), format!("{}, {}", quoted(KEY), quoted(DOCUMENT)));
        let condition = |column: String, other: &str| {
            let (column, other) = (quoted(&column), quoted(other));
            format!(
                "(s.{column} IS NULL OR s.{column} IN (SELECT o.{} FROM {to}.{other} o))",
                quoted(KEY)
            )
        };
        // Rows that refer to their own table may refer to any of its rows.
        let others = table.references.iter().filter(|one| one.table != table.name);
        let conditions: Vec<String> =
            others.map(|one| condition(one.column(), &one.table)).collect();
        let conditions = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let columns_of = format!("s.{}, s.{}", quoted(KEY), quoted(DOCUMENT));
        format!(
            "INSERT INTO {own} ({columns}) SELECT {columns_of} FROM {from}.{name} s{conditions} LIMIT {rows}"
        )
    };
    in_order_of_references(tables).iter().map(copy).collect()
}

/// A name in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
