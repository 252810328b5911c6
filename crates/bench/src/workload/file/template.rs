//! Compiled texts with `${…}`. The encoding of a value depends on its position: in a path, in JSON,
//! in a header field.

use duet_model::Value;

use super::names::Names;
use super::problem::Problem;
use crate::workload::Failed;

/// A compiled text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Value { slot: usize, encoding: Encoding },
}

/// The encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Verbatim.
    Plain,
    /// Verbatim, without line breaks.
    Field,
    /// Percent-encoded for a path or a query (RFC 3986).
    Url,
    /// A complete URL or path from a server; the path of a URL.
    Address,
    /// Within a JSON string.
    JsonText,
    /// As a JSON value.
    Json,
}

/// The position of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPosition {
    /// A text to compare or to search for.
    Plain,
    /// The value of a header field.
    Field,
    /// Path and query of a request.
    Path,
    /// Content that is JSON.
    Json,
    /// Content of an HTML form (`application/x-www-form-urlencoded`).
    Form,
}

impl Template {
    /// Compiles a text. `$${` is a literal `${`.
    pub(super) fn compile(
        text: &str,
        place: TextPosition,
        names: &Names,
        key: &str,
    ) -> Result<Self, Problem> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut in_string = false;
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                push(&mut literal, &rest[..at - 1], place, &mut in_string);
                push(&mut literal, "${", place, &mut in_string);
                rest = &rest[at + 2..];
                continue;
            }
            push(&mut literal, &rest[..at], place, &mut in_string);
            let inside = &rest[at + 2..];
            let Some(end) = inside.find('}') else {
                let message = "A placeholder is not closed: `${` needs a `}`.";
                return Err(Problem::new(key, message));
            };
            let slot = names.find(inside[..end].trim(), key)?;
            let encoding = match place {
                TextPosition::Plain => Encoding::Plain,
                TextPosition::Field => Encoding::Field,
                TextPosition::Path if pieces.is_empty() && literal.is_empty() => Encoding::Address,
                TextPosition::Path | TextPosition::Form => Encoding::Url,
                TextPosition::Json if in_string => Encoding::JsonText,
                TextPosition::Json => Encoding::Json,
            };
            if !literal.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Value { slot, encoding });
            rest = &inside[end + 1..];
        }
        push(&mut literal, rest, place, &mut in_string);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        Ok(Self(pieces))
    }

    /// The one value that it is, if it has no other text.
    pub(super) fn only_value(&self) -> Option<usize> {
        match self.0.as_slice() {
            [Piece::Value { slot, .. }] => Some(*slot),
            _ => None,
        }
    }

    /// The text itself, if it has no placeholders.
    pub(super) fn only_text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Writes it with these values.
    ///
    /// # Errors
    /// If a value is not allowed at its position.
    pub(super) fn write(&self, values: &[Value], out: &mut Vec<u8>) -> Result<(), Failed> {
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value { slot, encoding } => write_value(&values[*slot], *encoding, out)?,
            }
        }
        Ok(())
    }

    /// The text with these values.
    pub(super) fn text(&self, values: &[Value]) -> Result<String, Failed> {
        let mut out = Vec::new();
        self.write(values, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

/// Adds text to a piece; in JSON it tracks whether a string is open.
fn push(literal: &mut String, text: &str, place: TextPosition, in_string: &mut bool) {
    match place {
        TextPosition::Path => text.chars().for_each(|char| match char {
            // Characters that a request line cannot have; a `%` is the author's own.
            ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => encode(char, literal),
            char if char.is_control() || !char.is_ascii() => encode(char, literal),
            char => literal.push(char),
        }),
        TextPosition::Json => {
            let mut escaped = false;
            for char in text.chars() {
                match char {
                    '"' if !escaped => *in_string = !*in_string,
                    _ => {}
                }
                escaped = *in_string && char == '\\' && !escaped;
            }
            literal.push_str(text);
        }
        TextPosition::Plain | TextPosition::Field | TextPosition::Form => literal.push_str(text),
    }
}

fn encode(char: char, out: &mut String) {
    let mut bytes = [0; 4];
    for byte in char.encode_utf8(&mut bytes).bytes() {
        out.push_str(&format!("%{byte:02X}"));
    }
}

fn write_value(value: &Value, encoding: Encoding, out: &mut Vec<u8>) -> Result<(), Failed> {
    if let Value::Int(number) = value {
        out.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes());
        return Ok(());
    }
    let text = value.to_string();
    match encoding {
        Encoding::Plain => out.extend_from_slice(text.as_bytes()),
        Encoding::Field if text.chars().any(char::is_control) => {
            return Err(Failed::check("a value for a header field has a line break"));
        }
        Encoding::Field => out.extend_from_slice(text.as_bytes()),
        Encoding::Url => text.bytes().for_each(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            other => out.extend_from_slice(format!("%{other:02X}").as_bytes()),
        }),
        Encoding::Address => address(&text, out)?,
        Encoding::JsonText => {
            let quoted = serde_json::Value::from(text).to_string();
            out.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
        }
        Encoding::Json => {
            let json = match value {
                Value::Null => serde_json::Value::Null,
                Value::Bool(truth) => (*truth).into(),
                Value::Float(number) => (*number).into(),
                _ => text.into(),
            };
            out.extend_from_slice(json.to_string().as_bytes());
        }
    }
    Ok(())
}

/// The path of a URL, or a path.
fn address(text: &str, out: &mut Vec<u8>) -> Result<(), Failed> {
    let path = match text.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => text,
    };
    if !path.starts_with('/') || path.chars().any(|char| char.is_control() || char == ' ') {
        return Err(Failed::check("a value that begins a path is neither a URL nor a path"));
    }
    out.extend_from_slice(path.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, place: TextPosition, value: Value) -> String {
        let mut names = Names::default();
        names.add("a");
        let template = Template::compile(text, place, &names, "k").unwrap();
        template.text(&[value]).unwrap_or_else(|failed| format!("! {}", failed.message))
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn values_are_written_for_their_place() {
        for (template, place, value, expected) in [
            ("x${a}y", TextPosition::Plain, text("\"/"), "x\"/y"),
            ("$${a} ${ a }", TextPosition::Plain, Value::Int(-7), "${a} -7"),
            (
                "/i/${a}?q={\"x\":1} é",
                TextPosition::Path,
                text("a/b é"),
                "/i/a%2Fb%20%C3%A9?q=%7B%22x%22:1%7D%20%C3%A9",
            ),
            ("user=${a}&x=1 2", TextPosition::Form, text("a&b=é"), "user=a%26b%3D%C3%A9&x=1 2"),
            ("${a}/x", TextPosition::Path, text("http://h:1/p?q=1"), "/p?q=1/x"),
            (
                "${a}",
                TextPosition::Path,
                text("p"),
                "! a value that begins a path is neither a URL nor a path",
            ),
            (
                r#"{"a": "x\"${a}", "b": ${a}}"#,
                TextPosition::Json,
                text("\"\n"),
                r#"{"a": "x\"\"\n", "b": "\"\n"}"#,
            ),
            (
                r#"{"a": ${a}, "b": "${a}"}"#,
                TextPosition::Json,
                Value::Int(5),
                r#"{"a": 5, "b": "5"}"#,
            ),
            ("[${a}]", TextPosition::Json, Value::Null, "[null]"),
            ("[${a}]", TextPosition::Json, Value::Float(f64::NAN), "[null]"),
            (
                "Bearer ${a}",
                TextPosition::Field,
                text("x\r\nHost: y"),
                "! a value for a header field has a line break",
            ),
        ] {
            assert_eq!(written(template, place, value), expected, "{template}");
        }
    }

    #[test]
    fn wrong_placeholders() {
        let mut names = Names::default();
        for name in ["product", "price", "user"] {
            names.add(name);
        }
        let problem =
            |text: &str| Template::compile(text, TextPosition::Plain, &names, "k").unwrap_err();
        assert!(problem("${prodct}").to_string().ends_with("Did you mean `product`?"));
        assert!(problem("${xyz}").to_string().ends_with("There are `price`, `product`, `user`."));
        assert!(problem("a ${price").message.contains("not closed"));
    }
}
