//! Templates of answers, filled in: with values of parameters, columns of a row, counts and errors.

use duet_document::{Codec, Datum, RowSet, write_string};
use duet_model::{Error, Value};
use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::answer::{BodyTemplate, DeclaredAnswer, JsonTemplate, Template, TemplatePiece};
use super::file::ServiceParameter;

/// Names that no parameter or column needs to have.
pub const COUNT: &str = "count";
/// The usual body of the answer, as JSON.
pub const RESULT: &str = "result";
/// What an error may say of itself: never its cause.
pub const OF_ERRORS: [&str; 2] = ["error.code", "error.message"];

/// The values that names in templates have.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerValues<'v> {
    /// The parameters and their values; NULL for those that cannot be read.
    pub(crate) parameters: (&'v [ServiceParameter], &'v [Value]),
    /// The first row of the result.
    pub(crate) row: Option<Row<'v>>,
    /// How many rows there are.
    pub(crate) count: Option<&'v str>,
    /// The usual body.
    pub(crate) result: Option<&'v [u8]>,
    /// Why the request failed.
    pub(crate) error: Option<&'v Error>,
}

/// The first row of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'v> {
    pub(crate) rows: &'v RowSet,
    pub(crate) names: &'v [String],
    pub(crate) codecs: &'v [Codec],
}

/// The value of a name.
enum NamedValue<'v> {
    Null,
    Cell(&'v Codec, Datum<'v>),
    Parameter(Codec, &'v Value),
    Text(&'v str),
    Json(&'v [u8]),
}

impl DeclaredAnswer {
    /// The body with these values; `None` where the usual one is sent.
    pub fn body(&self, values: &AnswerValues<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(128);
        match self.body.as_ref()? {
            BodyTemplate::Text(template) => out = values.text(template).into_bytes(),
            BodyTemplate::Json(json) => values.json(json, &mut out),
        }
        Some(out)
    }

    /// The headers with these values; invalid characters are percent-encoded.
    pub fn headers(&self, values: &AnswerValues<'_>) -> Vec<(String, String)> {
        let filled = |(name, value): &(String, Template)| {
            let text = values.text(value);
            (name.clone(), utf8_percent_encode(&text, CONTROLS).to_string())
        };
        self.headers.iter().map(filled).collect()
    }
}

impl<'v> AnswerValues<'v> {
    /// The values of a request that failed: its parameters as far as they can be read, and the error.
    pub fn of_failure(
        parameters: &'v [ServiceParameter],
        values: &'v [Value],
        error: &'v Error,
    ) -> Self {
        Self { parameters: (parameters, values), error: Some(error), ..Self::default() }
    }

    fn named(&self, name: &str) -> NamedValue<'v> {
        if let Some(row) = self.row
            && let Some(at) = row.names.iter().position(|known| known == name)
        {
            return match row.rows.get(0, at) {
                Datum::Null => NamedValue::Null,
                datum => NamedValue::Cell(&row.codecs[at], datum),
            };
        }
        let (parameters, values) = self.parameters;
        if let Some(at) = parameters.iter().position(|known| known.name == name) {
            return match values.get(at) {
                None | Some(Value::Null) => NamedValue::Null,
                Some(value) => NamedValue::Parameter(Codec::of(&parameters[at].ty), value),
            };
        }
        match (name, self.error) {
            ("error.code", Some(error)) => NamedValue::Text(error.code.as_str()),
            ("error.message", Some(error)) => NamedValue::Text(&error.message),
            (COUNT, _) => {
                self.count.map_or(NamedValue::Null, |count| NamedValue::Json(count.as_bytes()))
            }
            (RESULT, _) => self.result.map_or(NamedValue::Null, NamedValue::Json),
            _ => NamedValue::Null,
        }
    }

    fn json(&self, template: &JsonTemplate, out: &mut Vec<u8>) {
        match template {
            JsonTemplate::Literal(text) => out.extend_from_slice(text.as_bytes()),
            JsonTemplate::Text(template) => match template.only() {
                Some(name) => self.named(name).write(out),
                None => write_string(self.text(template).as_bytes(), out),
            },
            JsonTemplate::List(items) => {
                out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.json(item, out);
                }
                out.push(b']');
            }
            JsonTemplate::Object(members) => {
                out.push(b'{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    write_string(name.as_bytes(), out);
                    out.push(b':');
                    self.json(value, out);
                }
                out.push(b'}');
            }
        }
    }

    fn text(&self, template: &Template) -> String {
        let piece = |piece: &TemplatePiece| match piece {
            TemplatePiece::Text(text) => text.clone(),
            TemplatePiece::Name { name, .. } => self.named(name).text(),
        };
        template.0.iter().map(piece).collect()
    }
}

impl NamedValue<'_> {
    /// Appends it as JSON.
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Cell(codec, datum) => codec.write(*datum, out),
            Self::Parameter(codec, value) => codec.write(cell(value), out),
            Self::Text(text) => write_string(text.as_bytes(), out),
            Self::Json(json) => out.extend_from_slice(json),
        }
    }

    /// It as part of a text; nothing for NULL.
    fn text(&self) -> String {
        match self {
            Self::Null => return String::new(),
            Self::Text(text) => return (*text).to_owned(),
            Self::Cell(Codec::Text, Datum::Text(text)) => {
                return String::from_utf8_lossy(text).into_owned();
            }
            Self::Parameter(Codec::Text, Value::Text(text)) => return text.clone(),
            _ => {}
        }
        let mut json = Vec::new();
        self.write(&mut json);
        // Dates, UUIDs and bytes are strings without escapes.
        let inner = json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        String::from_utf8_lossy(inner.unwrap_or(&json)).into_owned()
    }
}

/// A value of a parameter as a cell.
pub(crate) fn cell(value: &Value) -> Datum<'_> {
    match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Int(i64::from(*value)),
        Value::Int(value) => Datum::Int(*value),
        Value::Float(value) => Datum::Real(*value),
        Value::Text(text) => Datum::Text(text.as_bytes()),
        Value::RawText(text) => Datum::Text(text),
        Value::Bytes(bytes) => Datum::Blob(bytes),
    }
}

#[cfg(test)]
mod tests {
    use duet_model::{Code, Type};

    use super::*;
    use crate::services::ValueLimits;

    fn parameter(name: &str, ty: Type) -> ServiceParameter {
        ServiceParameter {
            name: name.into(),
            ty,
            optional: false,
            default: None,
            limits: ValueLimits::default(),
            answer: None,
            items: None,
        }
    }

    #[test]
    fn names_are_values_and_parts_of_texts() {
        let parameters = [
            parameter("id", Type::Text),
            parameter("amount", Type::Integer { bits: 64 }),
            parameter("yes", Type::Boolean),
            parameter("more", Type::Json),
            parameter("none", Type::Text),
        ];
        let values = [
            Value::Text("a\"b\r\n".into()),
            Value::Int(7),
            Value::Bool(true),
            Value::Text("{\"x\": [1]}".into()),
            Value::Null,
        ];
        let error = Error::new(Code::UniqueViolation, "It is there.").cause("secret");
        let values = AnswerValues {
            parameters: (&parameters, &values),
            error: Some(&error),
            ..AnswerValues::default()
        };
        let json = |text: &str| {
            let mut out = Vec::new();
            values.json(&JsonTemplate::Text(Template::read(text).unwrap()), &mut out);
            String::from_utf8(out).unwrap()
        };
        for (template, expected) in [
            ("{id}", r#""a\"b\r\n""#),
            ("<{id}>", r#""<a\"b\r\n>""#),
            ("{amount}", "7"),
            ("{amount}{amount}", r#""77""#),
            ("{yes}", "true"),
            ("{more}", r#"{"x":[1]}"#),
            ("{none}", "null"),
            ("-{none}-", r#""--""#),
            ("{error.code}: {error.message}", r#""DUET-7101: It is there.""#),
        ] {
            assert_eq!(json(template), expected, "{template}");
        }
        let answer = DeclaredAnswer {
            headers: vec![("x-id".into(), Template::read("id {id} ü").unwrap())],
            ..DeclaredAnswer::default()
        };
        let headers = answer.headers(&values);
        assert_eq!(headers, [("x-id".to_owned(), "id a\"b%0D%0A %C3%BC".to_owned())]);
    }
}
