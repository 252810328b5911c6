//! TypeScript from the schemas of OpenAPI documents, so that types and documents are made from the same shapes.

use duet_text::printable::printable;
use serde_json::{Map, Value};

/// The type that a schema is called by in others.
const REFERENCE: &str = "#/components/schemas/";

/// What the description of an object says that may be empty.
const MAY_BE_EMPTY: &str = "`{}` where there is no row";

/// Which members an object has for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Those that the schema requires.
    Required,
    /// All of them: what is read has every member, unless `fields` names others.
    All,
}

/// The declarations of schemas, in their order.
pub(super) fn declarations(schemas: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (name, schema) in schemas {
        out.push_str(&declaration(name, schema));
    }
    out
}

fn declaration(name: &str, schema: &Value) -> String {
    let presence = if name.ends_with("Item") { Presence::All } else { Presence::Required };
    let comment = comment(schema, "");
    let is_interface = schema.get("properties").is_some() && schema["type"] == "object";
    let body = of(schema, presence, "");
    match is_interface {
        true => format!("{comment}export interface {name} {body}\n\n"),
        false => format!("{comment}export type {name} = {body};\n\n"),
    }
}

/// The type of a schema. `indent` is that of the line that it begins on.
fn of(schema: &Value, presence: Presence, indent: &str) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.strip_prefix(REFERENCE).unwrap_or("unknown").to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return joined(values.iter().map(Value::to_string), " | ");
    }
    let each = |list: &[Value]| -> Vec<String> {
        list.iter().map(|one| of(one, presence, indent)).collect()
    };
    if let Some(list) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return joined(each(list).into_iter(), " | ");
    }
    if let Some(list) = schema["allOf"].as_array() {
        return joined(each(list).into_iter(), " & ");
    }
    match &schema["type"] {
        Value::String(ty) => of_type(ty, schema, presence, indent),
        Value::Array(all) => {
            let each = all.iter().filter_map(Value::as_str);
            joined(each.map(|ty| of_type(ty, schema, presence, indent)), " | ")
        }
        _ => "unknown".to_owned(),
    }
}

fn of_type(ty: &str, schema: &Value, presence: Presence, indent: &str) -> String {
    match ty {
        "string" | "boolean" | "null" => ty.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("Array<{}>", of(items, presence, indent)),
            None => "unknown[]".to_owned(),
        },
        "object" => object(schema, presence, indent),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Value, presence: Presence, indent: &str) -> String {
    let more = &schema["additionalProperties"];
    let Some(members) = schema["properties"].as_object() else {
        return match more.is_object() {
            true => format!("Record<string, {}>", of(more, presence, indent)),
            false => "Record<string, unknown>".to_owned(),
        };
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let may_be_empty =
        schema["description"].as_str().is_some_and(|text| text.contains(MAY_BE_EMPTY));
    let inner = format!("{indent}  ");
    let mut out = "{\n".to_owned();
    for (name, member) in members {
        let is_there = match presence {
            Presence::All => !may_be_empty,
            Presence::Required => required.contains(&name.as_str()),
        };
        let mark = if is_there { "" } else { "?" };
        let readonly = if member["readOnly"] == true { "readonly " } else { "" };
        out.push_str(&comment(member, &inner));
        let ty = of(member, presence, &inner);
        out.push_str(&format!("{inner}{readonly}{}{mark}: {ty};\n", member_name(name)));
    }
    if *more == true || more.is_object() {
        out.push_str(&format!("{inner}[name: string]: unknown;\n"));
    }
    out.push_str(indent);
    out.push('}');
    out
}

/// A name as it is, or in quotes where it is no identifier.
fn member_name(name: &str) -> String {
    let is_first = |it: char| it.is_ascii_alphabetic() || it == '_' || it == '$';
    let is_identifier =
        name.starts_with(is_first) && name.chars().all(|it| is_first(it) || it.is_ascii_digit());
    if is_identifier { name.to_owned() } else { Value::from(name).to_string() }
}

/// The description as a comment, which nothing in it ends.
fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema["description"].as_str() else { return String::new() };
    let line = printable(&text.replace('\n', " ")).to_string().replace("*/", "* /");
    format!("{indent}/** {line} */\n")
}

fn joined(parts: impl Iterator<Item = String>, by: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    if all.is_empty() { "unknown".to_owned() } else { all.join(by) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        let schemas = json!({
            "TeamItem": {
                "type": "object",
                "description": "A team. */ evil",
                "properties": {
                    "team_id": { "type": "integer" },
                    "full name": { "type": ["string", "null"], "description": "Its\nname." },
                    "driver": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "number" } } } },
                    "chief": { "type": "object", "description": "`{}` where there is no row.", "properties": { "id": { "type": "integer" } } },
                    "links": { "type": "array", "items": { "$ref": "#/components/schemas/Link" } },
                },
            },
            "TeamNew": {
                "type": "object",
                "properties": { "team_id": { "type": "integer" }, "kind": { "enum": ["a", "b"] }, "any": {} },
                "required": ["team_id"],
                "additionalProperties": true,
            },
            "Link": { "anyOf": [{ "type": "string" }, { "const": 7 }, { "type": "string" }] },
            "Bag": { "type": "object", "additionalProperties": { "type": "boolean" } },
        });
        let expected = "\
/** A team. * / evil */
export interface TeamItem {
  team_id: number;
  /** Its name. */
  \"full name\": string | null;
  driver: Array<{
    id: number;
  }>;
  /** `{}` where there is no row. */
  chief: {
    id?: number;
  };
  links: Array<Link>;
}

export interface TeamNew {
  team_id: number;
  kind?: \"a\" | \"b\";
  any?: unknown;
  [name: string]: unknown;
}

export type Link = string | 7;

export type Bag = Record<string, boolean>;

";
        assert_eq!(declarations(schemas.as_object().unwrap()), expected);
    }

    /// The words that documents use for an object that may be empty.
    #[test]
    fn documents_say_which_objects_may_be_empty() {
        let golden =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/openapi/car-racing/document.json");
        let document: Value =
            serde_json::from_str(&std::fs::read_to_string(golden).unwrap()).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let all = declarations(schemas);
        assert!(all.contains("    teamId?: number;\n"), "{all}");
        assert!(all.contains("export interface TeamNew {\n"), "{all}");
        assert_eq!(all.matches("export ").count(), schemas.len());
    }
}
