//! Numbers that clients of RMB send as texts: its reader of JSON takes `"42"` where the schema has a number.

use duet_text::json::{Json, Kind, STORED, read};
use serde_json::Value;

use crate::fields::resolved;

/// How deep numbers are looked for: a schema may refer to itself.
const DEPTH: usize = 8;

/// The numbers among the members of an object.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Vec<(String, Place)>);

#[derive(Debug)]
enum Place {
    /// The member is a number.
    Number,
    /// There are some inside of it, where it is an object.
    Inside(Numbers),
    /// There are some inside of each element, where it is an array.
    Each(Numbers),
}

impl Numbers {
    /// The numbers in a schema.
    pub(crate) fn of(schema: &Value) -> Self {
        members(schema, resolved(schema, schema), DEPTH)
    }

    /// Makes numbers of the texts in their places that are such; others stay, and the schema refuses them.
    pub(crate) fn read_texts(&self, json: &mut Json<'_>) {
        let Kind::Object(members) = &mut json.kind else { return };
        for (name, place) in &self.0 {
            let Some(member) = members.iter_mut().find(|member| member.name == *name) else {
                continue;
            };
            match place {
                Place::Number => read_text(&mut member.value),
                Place::Inside(inside) => inside.read_texts(&mut member.value),
                Place::Each(inside) => {
                    if let Kind::List(elements) = &mut member.value.kind {
                        elements.iter_mut().for_each(|element| inside.read_texts(element));
                    }
                }
            }
        }
    }
}

fn read_text(value: &mut Json<'_>) {
    let Kind::Text(text) = &value.kind else { return };
    // The text of a body is borrowed unless it has escapes, which a number has none of.
    let std::borrow::Cow::Borrowed(text) = *text else { return };
    if let Ok(Json { kind: Kind::Number(number), .. }) = read(text, &STORED, 1)
        && number == text
    {
        value.kind = Kind::Number(number);
    }
}

fn members(root: &Value, schema: &Value, depth: usize) -> Numbers {
    let Some(members) = schema.get("properties").and_then(Value::as_object) else {
        return Numbers::default();
    };
    let place = |(name, member): (&String, &Value)| {
        let target = resolved(root, member);
        Some((name.clone(), place(root, target, depth)?))
    };
    Numbers(members.iter().filter_map(place).collect())
}

fn place(root: &Value, schema: &Value, depth: usize) -> Option<Place> {
    if matches!(schema.get("type").and_then(Value::as_str), Some("number" | "integer")) {
        return Some(Place::Number);
    }
    if depth == 0 {
        return None;
    }
    let has_any = |numbers: &Numbers| !numbers.0.is_empty();
    if let Some(items) = schema.get("items") {
        let inside = members(root, resolved(root, items), depth - 1);
        return has_any(&inside).then_some(Place::Each(inside));
    }
    let inside = members(root, schema, depth - 1);
    has_any(&inside).then_some(Place::Inside(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_numbers_become_numbers() {
        let schema = serde_json::json!({ "properties": {
            "count": { "type": "integer" }, "name": { "type": "string" },
            "cost": { "type": "object", "properties": { "price": { "type": "number" } } },
            "places": { "type": "array", "items": { "properties": { "quantity": { "type": "integer" } } } }
        }});
        let numbers = Numbers::of(&schema);
        let text = r#"{"count":"7","name":"7","cost":{"price":"1.50"},"places":[{"quantity":"2"},{"quantity":"x"},{"quantity":" 3"}]}"#;
        let mut json = read(text, &STORED, 8).unwrap();
        numbers.read_texts(&mut json);
        let mut out = String::new();
        json.write(&mut out);
        let expected = r#"{"count":7,"name":"7","cost":{"price":1.50},"places":[{"quantity":2},{"quantity":"x"},{"quantity":" 3"}]}"#;
        assert_eq!(out, expected);
    }
}
