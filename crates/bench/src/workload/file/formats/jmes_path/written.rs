//! Values as Jackson writes them: numbers with a point as Java writes a double, and control characters by capital letters.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// A value as a text: that of a string without quotes, of others their JSON.
pub(in crate::workload::file) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => json(other),
    }
}

/// A value as JSON.
pub(super) fn json(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&written(number)),
        Value::String(text) => quoted(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                quoted(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            char if char < ' ' => {
                let _ = write!(out, "\\u{:04X}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
}

fn written(number: &Number) -> String {
    let text = number.to_string();
    match number.as_f64() {
        Some(value) if text.contains(['.', 'e', 'E']) => double(value),
        _ => text,
    }
}

/// A double as Java writes it: with a point, and by powers of ten below 0.001 and from ten millions on.
pub(super) fn double(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, power)) if digits.contains('.') => format!("{digits}E{power}"),
        Some((digits, power)) => format!("{digits}.0E{power}"),
        None => text,
    }
}
