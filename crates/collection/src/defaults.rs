//! Defaults of a JSON Schema: values for members that a new or replaced document leaves out.

use std::borrow::Cow;

use duet_text::json::{Json, JsonKind, JsonMember, STORED, read};
use serde_json::Value;

use crate::fields::resolved;

/// How deep defaults are looked for: a schema may refer to itself.
const DEPTH: usize = 8;

/// The defaults of the members of an object.
#[derive(Debug, Default)]
pub(crate) struct Defaults(Vec<(String, MemberDefault)>);

/// The default of one member.
#[derive(Debug)]
enum MemberDefault {
    /// A value, as JSON text, for an absent member.
    Value(String),
    /// Values inside, where it is an object.
    Inside(Defaults),
    /// Values inside of each element, where it is an array.
    Each(Defaults),
}

impl Defaults {
    /// The defaults in a schema.
    pub(crate) fn of(schema: &Value) -> Self {
        members(schema, resolved(schema, schema), DEPTH)
    }

    /// Adds the members that a document leaves out. Absent objects are not added, whatever defaults they have inside.
    pub(crate) fn add<'t>(&'t self, json: &mut Json<'t>) {
        let JsonKind::Object(members) = &mut json.kind else { return };
        for (name, given) in &self.0 {
            let own = members.iter_mut().find(|member| member.name == *name);
            match (given, own) {
                (MemberDefault::Value(text), None) => {
                    let value = read(text, &STORED, DEPTH);
                    let value = value.unwrap_or_else(|_| Json::new(JsonKind::Null));
                    members.push(JsonMember { at: 0, name: Cow::Borrowed(name), value });
                }
                (MemberDefault::Inside(inside), Some(member)) => inside.add(&mut member.value),
                (MemberDefault::Each(inside), Some(member)) => {
                    if let JsonKind::List(elements) = &mut member.value.kind {
                        elements.iter_mut().for_each(|element| inside.add(element));
                    }
                }
                (MemberDefault::Value(_), Some(_))
                | (MemberDefault::Inside(_) | MemberDefault::Each(_), None) => {}
            }
        }
    }
}

fn members(root: &Value, schema: &Value, depth: usize) -> Defaults {
    let Some(members) = schema.get("properties").and_then(Value::as_object) else {
        return Defaults::default();
    };
    let given = members.iter().filter_map(|(name, member)| {
        // The default of the member itself precedes that of its `$ref`.
        let target = resolved(root, member);
        let default = member.get("default").or_else(|| target.get("default"));
        let given = match default {
            Some(value) => MemberDefault::Value(value.to_string()),
            None => inside(root, target, depth)?,
        };
        Some((name.clone(), given))
    });
    Defaults(given.collect())
}

fn inside(root: &Value, schema: &Value, depth: usize) -> Option<MemberDefault> {
    if depth == 0 {
        return None;
    }
    let has_any = |defaults: &Defaults| !defaults.0.is_empty();
    if let Some(items) = schema.get("items") {
        let inside = members(root, resolved(root, items), depth - 1);
        return has_any(&inside).then_some(MemberDefault::Each(inside));
    }
    let inside = members(root, schema, depth - 1);
    has_any(&inside).then_some(MemberDefault::Inside(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_missing_defaults_only() {
        let schema = serde_json::json!({ "properties": {
            "approved": { "type": "boolean", "default": false },
            "status": { "type": "string", "default": "Pending" },
            "renewal": { "type": "object", "properties": { "manual": { "default": 1.50 } } },
            "claims": { "type": "array", "items": { "properties": { "done": { "default": false } } } }
        }});
        let defaults = Defaults::of(&schema);
        for (given, expected) in [
            ("{}", r#"{"approved":false,"status":"Pending"}"#),
            (r#"{"status":null}"#, r#"{"status":null,"approved":false}"#),
            (
                r#"{"approved":true,"status":"x","renewal":{},"claims":[{},{"done":true}]}"#,
                r#"{"approved":true,"status":"x","renewal":{"manual":1.5},"claims":[{"done":false},{"done":true}]}"#,
            ),
        ] {
            let mut json = read(given, &STORED, 8).unwrap();
            defaults.add(&mut json);
            let mut text = String::new();
            json.write(&mut text);
            assert_eq!(text.replace("1.50", "1.5"), expected, "{given}");
        }
    }
}
