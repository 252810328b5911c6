//! Parameters that operations share.

use serde_json::{Map, Value, json};

use super::DescribedTable;

/// All of them by their names: those of every table, then the bodies and the conditions of each.
pub(super) fn all(tables: &[DescribedTable<'_>]) -> Value {
    let mut all = Map::new();
    for (name, values) in PREFERENCES {
        let mut parameter = text("Prefer", "header", "Preference");
        if !values.is_empty() {
            parameter["enum"] = json!(values);
        }
        all.insert((*name).to_owned(), parameter);
    }
    for (name, key, place, description) in SHARED {
        let mut parameter = text(key, place, description);
        if *name == "rangeUnit" {
            parameter["default"] = json!("items");
        }
        all.insert((*name).to_owned(), parameter);
    }
    for table in tables {
        let name = &table.resource.name;
        let schema = json!({ "$ref": reference("definitions", name) });
        let body = json!({
            "name": name, "in": "body", "description": name, "required": false, "schema": schema,
        });
        all.insert(format!("body.{name}"), body);
        for (_, column) in table.columns() {
            let key = column.served_name();
            let mut filter = text(&key, "query", "");
            match &column.comment {
                Some(comment) => filter["description"] = json!(comment),
                None => drop(filter.as_object_mut().and_then(|it| it.remove("description"))),
            }
            all.insert(filter_name(name, &key), filter);
        }
    }
    Value::Object(all)
}

/// The values of `Prefer` that operations name.
const PREFERENCES: &[(&str, &[&str])] = &[
    ("preferParams", &[]),
    ("preferReturn", &["return=representation", "return=minimal", "return=headers-only"]),
    ("preferCount", &["count=exact", "count=planned", "count=estimated"]),
    (
        "preferPost",
        &[
            "return=representation",
            "return=minimal",
            "return=headers-only",
            "resolution=ignore-duplicates",
            "resolution=merge-duplicates",
        ],
    ),
];

/// The others: name, key, place and description.
const SHARED: &[(&str, &str, &str, &str)] = &[
    ("select", "select", "query", "Filtering Columns"),
    ("on_conflict", "on_conflict", "query", "On Conflict"),
    ("order", "order", "query", "Ordering"),
    ("range", "Range", "header", "Limiting and Pagination"),
    ("rangeUnit", "Range-Unit", "header", "Limiting and Pagination"),
    ("offset", "offset", "query", "Limiting and Pagination"),
    ("limit", "limit", "query", "Limiting and Pagination"),
];

fn text(name: &str, place: &str, description: &str) -> Value {
    json!({
        "name": name, "in": place, "description": description, "required": false, "type": "string",
    })
}

/// The name of the parameter with conditions of a column.
pub(super) fn filter_name(table: &str, column: &str) -> String {
    format!("rowFilter.{table}.{column}")
}

/// A reference to a part of the document, whose name may have any characters.
pub(super) fn reference(kind: &str, name: &str) -> String {
    format!("#/{kind}/{}", name.replace('~', "~0").replace('/', "~1"))
}
