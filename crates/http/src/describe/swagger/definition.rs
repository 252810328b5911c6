//! Tables as definitions, and the types of columns and arguments.

use duet_filter::postgrest::type_name;
use duet_model::{Column, Type};
use serde_json::{Map, Value, json};

use super::DescribedTable;

/// A table by its name.
pub(super) fn of_table(table: &DescribedTable<'_>) -> (String, Value) {
    let resource = table.resource;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (at, column) in table.columns() {
        let name = column.served_name();
        if column.not_null {
            required.push(name.clone());
        }
        properties.insert(name, property(table, at, column));
    }
    let mut definition = json!({ "type": "object", "properties": properties });
    if let Some(comment) = &resource.comment {
        definition["description"] = json!(comment);
    }
    if !required.is_empty() {
        definition["required"] = json!(required);
    }
    (resource.name.clone(), definition)
}

fn property(table: &DescribedTable<'_>, at: usize, column: &Column) -> Value {
    let declared = declared(column);
    let mut property = of_type(&column.ty, &declared);
    if let Some(description) = description(table, at, column) {
        property["description"] = json!(description);
    }
    if let Type::Enum(values) = &column.ty {
        property["enum"] = json!(&values[..]);
    }
    let length = column.declared.strip_prefix("character varying(");
    let length = length.and_then(|rest| rest.strip_suffix(')')?.parse::<u64>().ok());
    if let Some(length) = length {
        property["maxLength"] = json!(length);
    }
    let default = column.default.as_deref();
    if let Some(default) = default.and_then(|default| of_default(&property, default, &declared)) {
        property["default"] = default;
    }
    property
}

/// The comment of a column, and behind it whether it is of the primary key or of a foreign one.
fn description(table: &DescribedTable<'_>, at: usize, column: &Column) -> Option<String> {
    let mut notes = Vec::new();
    if table.resource.shape.root().table.primary_key.contains(&at) {
        notes.push("This is a Primary Key.<pk/>".to_owned());
    }
    if let Some(key) = table.references.iter().find(|key| key.column == at) {
        let (other, target) = (key.table, &key.target);
        notes.push(format!(
            "This is a Foreign Key to `{other}.{target}`.<fk table='{other}' column='{target}'/>"
        ));
    }
    if notes.is_empty() {
        return column.comment.clone();
    }
    let comment = column.comment.as_ref().map_or(String::new(), |comment| format!("{comment}\n\n"));
    Some(format!("{comment}Note:\n{}", notes.join("\n")))
}

/// The type as the database declares it, without its limits, or as PostgreSQL would.
fn declared(column: &Column) -> String {
    match column.declared.as_str() {
        "" => type_name(&column.ty),
        declared => without_limits(&declared.to_lowercase()),
    }
}

/// `timestamp(3) with time zone` without its number.
fn without_limits(declared: &str) -> String {
    match (declared.find('('), declared.find(')')) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", &declared[..from], &declared[to + 1..])
        }
        _ => declared.to_owned(),
    }
}

/// The schema of values of a type.
pub(super) fn of_type(ty: &Type, declared: &str) -> Value {
    let mut schema = Map::new();
    if let Some(name) = json_type(ty) {
        schema.insert("type".to_owned(), json!(name));
    }
    if let Type::Array(inner) = ty {
        let items = json_type(inner).map(|name| json!({ "type": name }));
        schema.insert("items".to_owned(), items.unwrap_or_else(|| json!({})));
    }
    let format = match ty {
        Type::Integer { bits: 64 } => "int64",
        Type::Integer { .. } => "int32",
        _ => declared,
    };
    schema.insert("format".to_owned(), json!(format));
    Value::Object(schema)
}

/// The type of JSON; none for values of any.
pub(super) fn json_type(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Integer { .. } => "integer",
        Type::Decimal { .. } | Type::Float { .. } => "number",
        Type::Boolean => "boolean",
        Type::Array(_) => "array",
        Type::Json | Type::Composite(_) => return None,
        _ => "string",
    })
}

/// A default of the database as JSON: a literal, or the text of an expression for texts.
fn of_default(property: &Value, default: &str, declared: &str) -> Option<Value> {
    if property["type"] != "string" {
        return serde_json::from_str(default).ok().filter(
            |value: &Value| match &property["type"] {
                Value::String(ty) if ty == "boolean" => value.is_boolean(),
                Value::String(ty) if ty == "integer" || ty == "number" => value.is_number(),
                _ => false,
            },
        );
    }
    let literal = default.strip_suffix(&format!("::{declared}"));
    Some(json!(literal.map_or(default, |literal| literal.trim_matches('\''))))
}
