//! Compiled texts with their values filled in, and the calls of functions whose results are such values.

use duet_model::Value;

use super::functions::Function;
use super::functions::expression::Number;
use crate::workload::Failed;

/// A compiled text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template(pub(super) Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Value { slot: usize, encoding: Encoding },
}

/// The encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
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
    /// As a number of an expression, with all its digits.
    Expression,
}

/// A call of a function. It is computed before the step that uses it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) arguments: Vec<Template>,
    /// The name of a value that keeps the result.
    pub(super) keeps: Option<String>,
    /// Where the result is.
    pub(super) slot: usize,
    /// Its number among what is counted.
    pub(super) number: usize,
}

impl Template {
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
        Encoding::Expression => {
            let source = match value {
                Value::Null => Number::Null.source(),
                Value::Float(number) => Number::Fraction(*number).source(),
                _ => text,
            };
            out.extend_from_slice(source.as_bytes());
        }
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
