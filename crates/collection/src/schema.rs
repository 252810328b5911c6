//! JSON Schema (drafts 4 to 2020-12): the one file that knows the validator.

use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Place};
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::declaration::{Declaration, Mistake};

/// The mistakes of a document that are reported at most.
const MISTAKES: usize = 20;
/// The length limit of a message, in characters: it may repeat text of the request.
const LONGEST: usize = 300;
/// A UUID in the place of one that the server gives.
const GIVEN: &str = "00000000-0000-4000-8000-000000000000";

/// A compiled JSON Schema.
#[derive(Debug)]
pub(crate) struct Validator {
    compiled: jsonschema::Validator,
    /// Whether the draft knows `1.0` as no integer: this one alone does.
    is_draft_4: bool,
}

/// Reads the text of a schema.
pub(crate) fn read(text: &str) -> Result<Value, Mistake> {
    let mistake = |message: String| Mistake { path: None, message, hint: None };
    let schema: Value = serde_json::from_str(text)
        .map_err(|error| mistake(format!("The JSON Schema is not JSON: {error}.")))?;
    match schema {
        Value::Object(_) => Ok(schema),
        _ => Err(mistake("The JSON Schema must be an object.".to_owned())),
    }
}

impl Validator {
    /// Compiles a schema. References lead to definitions in the same document alone. `uuid` is a format in every
    /// draft: that only later ones define it means that earlier ones would ignore it.
    pub(crate) fn new(schema: &Value) -> Result<Self, Mistake> {
        let options = jsonschema::options().should_validate_formats(true);
        let compiled = options.with_format("uuid", is_uuid).build(schema).map_err(|error| {
            let message =
                format!("The JSON Schema cannot be used: {}.", shortened(&error.to_string()));
            let hint = "References lead to definitions in the same file: \"#/definitions/NAME\".";
            Mistake { path: None, message, hint: Some(hint.to_owned()) }
        })?;
        let is_draft_4 = compiled.draft() == jsonschema::Draft::Draft4;
        Ok(Self { compiled, is_draft_4 })
    }

    /// What is wrong with a document.
    pub(crate) fn check(&self, text: &str, declaration: &Declaration) -> Vec<Error> {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else {
            return vec![Error::new(Code::BodySyntax, "The body is not JSON.")];
        };
        if let Value::Object(members) = &mut value {
            if declaration.metadata {
                // Whatever it is, the server's takes its place.
                members.remove("metadata");
            }
            if members.get("id").is_none_or(Value::is_null) {
                members.insert("id".to_owned(), Value::String(GIVEN.to_owned()));
            }
        }
        if self.is_draft_4 {
            with_integers(&mut value);
        }
        self.compiled.iter_errors(&value).take(MISTAKES).map(|error| error_of(&error)).collect()
    }
}

/// Whether a text is a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    let is_in_place = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == GIVEN.len() && text.as_bytes().iter().enumerate().all(is_in_place)
}

/// Gives integers with a fraction of zero, such as `1.0`, the form that draft 4 asks for.
fn with_integers(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(with_integers),
        Value::Object(members) => members.values_mut().for_each(with_integers),
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.split_once('.').filter(|(_, rest)| rest.bytes().all(|it| it == b'0'));
            if let Some(whole) = whole.and_then(|(whole, _)| whole.parse::<i64>().ok()) {
                *number = whole.into();
            }
        }
        _ => {}
    }
}

fn error_of(error: &jsonschema::ValidationError<'_>) -> Error {
    let at = error.instance_path().as_str();
    let place = match error.kind() {
        ValidationErrorKind::Required { property } => {
            pointer(at, property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.first().map_or_else(|| at.to_owned(), |name| pointer(at, name))
        }
        _ => at.to_owned(),
    };
    let message = format!("{}.", shortened(&error.to_string()));
    // The value of the member that the error is about, not that of the object around it.
    let given = match error.kind() {
        ValidationErrorKind::Required { .. } => Value::Null.to_string(),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let found = unexpected.first().and_then(|name| error.instance().get(name));
            found.unwrap_or(&Value::Null).to_string()
        }
        _ => error.instance().to_string(),
    };
    let given = shortened(&given);
    Error::new(Code::DocumentSchema, message).at(Place::Pointer(place)).given(given)
}

fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Collection, Declaration};

    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "required": ["source"], "additionalProperties": false,
        "properties": {"id": {"type": "string", "format": "uuid"}, "metadata": {"type": "object"},
        "source": {"type": "string", "enum": ["User", "API"]}, "cost": {"type": "object",
        "properties": {"price": {"type": "number", "minimum": 0}}}}}"#;

    #[test]
    fn errors_have_pointers() {
        let declaration = Declaration { metadata: true, ..Declaration::new("lines") };
        let collection = Collection::new(declaration, SCHEMA).unwrap();
        let places = |text: &str| -> Vec<String> {
            let place = |error: Error| match error.place {
                Some(Place::Pointer(pointer)) => pointer,
                other => format!("{other:?}"),
            };
            collection.check(text).into_iter().map(place).collect()
        };
        assert_eq!(places(r#"{"source": "User", "metadata": 7}"#), [""; 0]);
        assert_eq!(places("{}"), ["/source"]);
        assert_eq!(places(r#"{"source": "x", "id": "7", "nmae": 1}"#).len(), 3);
        assert_eq!(places(r#"{"source": "API", "cost": {"price": -1}}"#), ["/cost/price"]);
        assert_eq!(places(r#"{"source": "API", "a/b": 1}"#), ["/a~1b"]);
    }

    #[test]
    fn uuids_and_integers_are_the_same_in_every_draft() {
        for draft in [
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let schema = serde_json::json!({
                "$schema": draft,
                "type": "object",
                "properties": {
                    "to": { "type": "string", "format": "uuid" },
                    "days": { "type": "array", "items": { "type": "integer" } }
                }
            });
            let collection =
                Collection::new(Declaration::new("orders"), &schema.to_string()).unwrap();
            for (document, expected) in [
                (r#"{"to": "0000000A-0000-4000-8000-00000000000f", "days": [1.0, -20.00, 3]}"#, 0),
                (r#"{"to": "nouuid"}"#, 1),
                (r#"{"to": "0000000a00004000800000000000000f"}"#, 1),
                (r#"{"to": "0000000a-0000-4000-8000-00000000000g"}"#, 1),
                (r#"{"to": "{0000000a-0000-4000-8000-00000000000}"}"#, 1),
                (r#"{"days": [1.5, "1", 2]}"#, 2),
            ] {
                assert_eq!(collection.check(document).len(), expected, "{draft}: {document}");
            }
        }
    }

    #[test]
    fn wrong_schemas_are_refused() {
        for (schema, expected) in [
            ("{", "is not JSON"),
            ("[]", "must be an object"),
            (r#"{"type": 7}"#, "cannot be used"),
            (r##"{"$ref": "#/definitions/none"}"##, "cannot be used"),
            (r#"{"$ref": "https://schemas.example/a.json"}"#, "cannot be used"),
        ] {
            let mistakes = Collection::new(Declaration::new("a"), schema).unwrap_err();
            assert!(mistakes[0].message.contains(expected), "{schema}: {:?}", mistakes[0]);
        }
    }
}
