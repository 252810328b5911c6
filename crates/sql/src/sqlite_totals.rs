//! Totals on SQLite: a table with a number for each combination of values, and a trigger for each kind of write.

use std::fmt::Write as _;

use duet_model::collection::DOCUMENT;

use crate::collections::values::totals_values;
use crate::dialect::Dialect;
use crate::parts::quotes::quoted;
use crate::parts::totals::{NUMBER, Totals};

/// The script that makes totals on SQLite, and counts what is there.
pub(crate) fn script(totals: &Totals, dialect: &dyn Dialect) -> String {
    let (table, name) = (quoted(&totals.table), quoted(&totals.name));
    let (columns, values) = (totals.columns(), totals_values(totals, dialect).join(", "));
    let triggers = sqlite_triggers(totals, dialect).map(|(_, sql)| format!("{sql};\n")).concat();
    format!(
        "{};\n{};\nCREATE INDEX {} ON {name} ({});\nINSERT INTO {name} SELECT {values}, count(*) FROM {table} GROUP BY {};\n{triggers}",
        drop_script(totals),
        sqlite_table(totals),
        quoted(&format!("{}_values", totals.name)),
        columns.join(", "),
        (1..=columns.len()).map(|at| at.to_string()).collect::<Vec<_>>().join(", "),
    )
}

/// The script that drops what there is of them on SQLite.
pub(crate) fn drop_script(totals: &Totals) -> String {
    let drop =
        |statement| format!("DROP TRIGGER IF EXISTS {};\n", quoted(&totals.trigger(statement)));
    let triggers = ["insert", "update", "delete"].map(drop).concat();
    format!("{triggers}DROP TABLE IF EXISTS {}", quoted(&totals.name))
}

/// The statement that makes the table on SQLite, as SQLite keeps it.
pub fn sqlite_table(totals: &Totals) -> String {
    let columns = totals.columns().join(", ");
    format!("CREATE TABLE {} ({columns}, {NUMBER} INTEGER NOT NULL)", quoted(&totals.name))
}

/// The triggers on SQLite, each with its name and its statement as SQLite keeps it.
pub fn sqlite_triggers(totals: &Totals, dialect: &dyn Dialect) -> [(String, String); 3] {
    let (table, name, mark) = (quoted(&totals.table), quoted(&totals.name), totals.mark());
    let document = quoted(DOCUMENT);
    let values = totals_values(totals, dialect);
    let of_row = |row: &str| format!("FROM (SELECT {row}.{document} AS {document})");
    let add = |row: &str, by: &str| {
        let mut same = String::new();
        for (column, value) in totals.columns().iter().zip(&values) {
            let and = if same.is_empty() { "" } else { " AND " };
            write!(same, "{and}{column} IS (SELECT {value} {})", of_row(row)).ok();
        }
        format!("UPDATE {name} SET {NUMBER} = {NUMBER} {by} WHERE {same}; ")
    };
    let list = values.join(", ");
    let added = format!(
        "{}INSERT INTO {name} SELECT {list}, 1 {} WHERE changes() = 0; ",
        add("new", "+ 1"),
        of_row("new")
    );
    let row = |row: &str| format!("(SELECT {list} {})", of_row(row));
    let changed = format!("UPDATE ON {table} WHEN {} IS NOT {}", row("old"), row("new"));
    let trigger = |statement: &str, when: &str, body: String| {
        let own = totals.trigger(statement);
        let sql = format!("CREATE TRIGGER {} AFTER {when} BEGIN {body}{mark} END", quoted(&own));
        (own, sql)
    };
    let removed = add("old", "- 1");
    [
        trigger("insert", &format!("INSERT ON {table}"), added.clone()),
        trigger("update", &changed, format!("{removed}{added}")),
        trigger("delete", &format!("DELETE ON {table}"), removed),
    ]
}
