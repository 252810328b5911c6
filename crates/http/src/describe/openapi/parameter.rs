//! Parameters of services: their schemas, and examples of them.

use duet_model::{Type, Value as Datum};
use duet_service::services::{ServiceFile, ServiceParameter};
use serde_json::{Map, Value, json};

use super::super::names;
use super::{schema, typed_example};

/// The path with examples of its parameters.
pub(super) fn example_path(file: &ServiceFile) -> String {
    let fill = |path: String, parameter: &ServiceParameter| {
        let text = text_of(&example(parameter));
        path.replace(&format!("{{{}}}", parameter.name), &names::segment(&text))
    };
    file.parameters.iter().fold(names::template(file), fill)
}

/// The schema of an object with these members, and an example of it.
pub(super) fn object<'p>(members: impl Iterator<Item = &'p ServiceParameter>) -> (Value, Value) {
    let (mut properties, mut given) = (Map::new(), Map::new());
    let mut required = Vec::new();
    for parameter in members {
        properties.insert(parameter.name.clone(), value(parameter, parameter.optional));
        if !parameter.optional {
            required.push(parameter.name.as_str());
            given.insert(parameter.name.clone(), example(parameter));
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    (schema, Value::Object(given))
}

/// The schema of a parameter, with its limits.
pub(super) fn value(parameter: &ServiceParameter, nullable: bool) -> Value {
    if let Some(members) = &parameter.items {
        return json!({ "type": "array", "items": object(members.iter()).0 });
    }
    let mut schema = schema::of_type(&parameter.ty, nullable);
    let limits = &parameter.limits;
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            schema.insert(name.to_owned(), value);
        }
    };
    put("minLength", limits.min_length.map(Value::from));
    put("maxLength", limits.max_length.map(Value::from));
    put("minimum", limits.minimum.map(Value::from));
    put("maximum", limits.maximum.map(Value::from));
    let texts = limits.values.iter();
    let mut labels: Vec<Value> = texts.map(|text| typed(&parameter.ty, text)).collect();
    if !labels.is_empty() {
        labels.extend(nullable.then_some(Value::Null));
        put("enum", Some(Value::Array(labels)));
    }
    let default = parameter.default.as_ref().filter(|value| !matches!(value, Datum::Null));
    put("default", default.map(|value| typed(&parameter.ty, &value.to_string())));
    Value::Object(schema)
}

/// A value that the parameter's limits allow, where one is easily found.
pub(super) fn example(parameter: &ServiceParameter) -> Value {
    if let Some(members) = &parameter.items {
        return json!([object(members.iter()).1]);
    }
    let limits = &parameter.limits;
    if let Some(first) = limits.values.first() {
        return typed(&parameter.ty, first);
    }
    if let Some(bound) = limits.minimum.or(limits.maximum) {
        return json!(bound);
    }
    let example = typed_example::value(&parameter.ty);
    let Value::String(text) = &example else { return example };
    if parameter.ty != Type::Text {
        return example;
    }
    let least = limits.min_length.unwrap_or(0).min(1_000);
    let most = limits.max_length.unwrap_or(u64::MAX);
    let length = (text.len() as u64).max(least).min(most);
    json!(text.chars().cycle().take(usize::try_from(length).unwrap_or(4)).collect::<String>())
}

/// A value, given as text, as JSON of its type.
fn typed(ty: &Type, text: &str) -> Value {
    match ty {
        Type::Boolean
        | Type::Integer { .. }
        | Type::Decimal { .. }
        | Type::Float { .. }
        | Type::Json => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        _ => json!(text),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
