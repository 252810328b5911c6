//! The tables of `docs/types.md`, row by row, on both stores.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_model::{Comparability, NativeType, TEXT_FORMS, Type};
use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::{http, sqlite};
use serde_json::Value;

use super::{page, read};

/// A column of the test: its declared type, the value, what the manual says.
struct Column {
    declared: String,
    value: String,
    named: Option<String>,
    json: String,
}

/// The columns of a table's rows: where the declared types stand in a row, and its value, JSON and
/// name of the type in the catalog, if that is shown.
fn columns(
    rows: &[Vec<String>],
    types: usize,
    (value, json, named): (usize, usize, Option<usize>),
) -> Vec<Column> {
    let one = |cell: &str| page::quoted(cell).concat();
    let of_row = |row: &Vec<String>| {
        let column = |declared: String| Column {
            declared,
            value: one(&row[value]),
            named: named.map(|named| one(&row[named])),
            json: one(&row[json]),
        };
        page::quoted(&row[types]).into_iter().map(column).collect::<Vec<_>>()
    };
    rows.iter().flat_map(of_row).collect()
}

/// A table with these columns and one row.
fn script(columns: &[Column]) -> String {
    let names = |text: fn(&Column) -> &str| {
        let parts = columns.iter().enumerate().map(|(at, column)| (at, text(column)));
        parts.map(|(at, text)| format!("c{at} {text}")).collect::<Vec<_>>().join(", ")
    };
    let values: Vec<_> = columns.iter().map(|column| column.value.as_str()).collect();
    format!(
        "CREATE TABLE t (id integer PRIMARY KEY, {});\nINSERT INTO t VALUES (1, {});",
        names(|column| &column.declared),
        values.join(", ")
    )
}

/// Holds the answer and the catalog against the columns.
fn check(server: &Running, mount: &str, columns: &[Column]) {
    let get = |path: &str| http::get(&format!("{}{mount}{path}", server.url()), &[]);
    let reply = get("t/1");
    let row = reply.json();
    let described = get("metadata-catalog/t/").json();
    for (at, Column { declared, value, named, json }) in columns.iter().enumerate() {
        let expected: Value = serde_json::from_str(json).unwrap_or_else(|error| {
            panic!("{declared}: {json} is no JSON: {error}");
        });
        let actual = &row[format!("c{at}")];
        assert_eq!(
            actual.to_string(),
            expected.to_string(),
            "{declared} {value}: {}",
            reply.text()
        );
        let name = described["members"][at + 1]["type"].as_str();
        assert!(named.is_none() || named.as_deref() == name, "{declared} is {name:?}");
    }
}

#[test]
fn the_table_of_types_is_true() {
    let rows = page::table(&read("docs/types.md"), "## The table");
    let folder = sqlite::Folder::new();
    let mut on_sqlite = columns(&rows, 2, (3, 4, Some(0)));
    let misfits = page::table(&read("docs/types.md"), "## What does not fit");
    on_sqlite.extend(columns(&misfits, 0, (1, 2, None)));
    let file = folder.load("t.db", &[&script(&on_sqlite)]).display().to_string();
    let start = |database: &str| {
        Running::start(&["serve", database, "--open", "read", "--listen", "127.0.0.1:0"])
    };
    check(&start(&file), "/api/main/", &on_sqlite);
    let database = Server::shared().database("manual_types");
    database.exec("CREATE TYPE mood AS ENUM ('sad', 'happy')");
    let on_postgres = columns(&rows, 1, (3, 4, Some(0)));
    database.exec(&script(&on_postgres));
    check(&start(&database.url()), "/api/public/", &on_postgres);
}

#[test]
fn every_type_has_a_row() {
    let rows = page::table(&read("docs/types.md"), "## The table");
    let described: BTreeSet<String> = rows.iter().flat_map(|row| page::quoted(&row[0])).collect();
    let all = [
        Type::Boolean,
        Type::Integer { bits: 64 },
        Type::Decimal { scale: None },
        Type::Float { bits: 64 },
        Type::Text,
        Type::Char,
        Type::Binary,
        Type::Uuid,
        Type::Date,
        Type::Time,
        Type::TimeTz,
        Type::Timestamp,
        Type::TimestampTz,
        Type::Interval,
        Type::Json,
        Type::Array(Box::new(Type::Text)),
        Type::Enum(Arc::from([])),
        Type::Formatted(&TEXT_FORMS[0]),
        Type::Dynamic,
        Type::Native(Arc::new(NativeType {
            cast: "pg_catalog.money".to_owned(),
            comparison: Comparability::Order,
            casts: None,
        })),
        Type::Other,
    ];
    for ty in &all {
        // A type that is added must be added above, and to the manual.
        match ty {
            Type::Boolean | Type::Integer { .. } | Type::Decimal { .. } | Type::Float { .. } => {}
            Type::Text | Type::Char | Type::Binary | Type::Uuid | Type::Json => {}
            Type::Dynamic | Type::Other => {}
            Type::Date | Type::Time | Type::TimeTz | Type::Timestamp | Type::TimestampTz => {}
            Type::Interval | Type::Array(_) | Type::Enum(_) | Type::Formatted(_) => {}
            Type::Native(_) => {}
            // No column has it.
            Type::Pair(_) | Type::Composite(_) => {}
        }
        assert!(described.contains(ty.name()), "docs/types.md lacks {}", ty.name());
    }
}
