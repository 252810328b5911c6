//! Parameters and cells on PostgreSQL's wire.

use std::error::Error as StdError;
use std::fmt::Write;

use bytes::{BufMut, BytesMut};
use duet_document::{Codec, Datum, RowSet};
use duet_model::{Type as ModelType, Value};
use duet_sql::{Parameter, Statement};
use tokio_postgres::Row;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::columns::is_text;

/// A parameter as it is sent.
#[derive(Debug)]
pub(crate) enum Bound {
    /// NULL.
    Null,
    /// Anything in its text form: the server reads it by the type that the statement names.
    Text(String),
    /// An array of 64-bit integers, in binary.
    Ints(Vec<i64>),
    /// An array of texts, in binary.
    Texts(Vec<String>),
    /// The same, with NULLs.
    MaybeInts(Vec<Option<i64>>),
    /// The same, with NULLs.
    MaybeTexts(Vec<Option<String>>),
}

impl ToSql for Bound {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Text(text) => {
                out.put_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            Self::Ints(values) => values.to_sql(ty, out),
            Self::Texts(values) => values.to_sql(ty, out),
            Self::MaybeInts(values) => values.to_sql(ty, out),
            Self::MaybeTexts(values) => values.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        match self {
            // Not every type of an extension has a binary form, which the server asks for even where there is no value.
            Self::Text(_) | Self::Null => Format::Text,
            _ => Format::Binary,
        }
    }

    to_sql_checked!();
}

/// The parameters of a statement that reads by these keys; none for a page's first level.
pub(crate) fn bind(statement: &Statement, keys: &[&[Value]]) -> Vec<Bound> {
    let bound = |parameter: &Parameter| match parameter {
        Parameter::Key { part, ty } => key_array(ty, keys, *part),
        Parameter::Value { value: Value::Null, .. } => Bound::Null,
        Parameter::Value { value, .. } => Bound::Text(text(value)),
    };
    statement.parameters.iter().map(bound).collect()
}

/// The parameters of a statement that reads by one key, each part of which is a value.
pub(crate) fn one(statement: &Statement, key: &[Value]) -> Vec<Bound> {
    let value = |parameter: &Parameter| {
        let value = match parameter {
            Parameter::Key { part, .. } => key.get(*part).unwrap_or(&Value::Null),
            Parameter::Value { value, .. } => value,
        };
        bound(value)
    };
    statement.parameters.iter().map(value).collect()
}

/// The parameters of a statement that inserts these rows: an array for each column, of whole
/// numbers or of texts.
pub(crate) fn rows<'r>(
    statement: &Statement,
    rows: &(impl Iterator<Item = &'r [Value]> + Clone),
) -> Vec<Bound> {
    let bound = |parameter: &Parameter| match parameter {
        Parameter::Key { part, ty } => {
            let values = rows.clone().map(|row| row.get(*part).unwrap_or(&Value::Null));
            column(ty, values)
        }
        Parameter::Value { value: Value::Null, .. } => Bound::Null,
        Parameter::Value { value, .. } => Bound::Text(text(value)),
    };
    statement.parameters.iter().map(bound).collect()
}

/// The parameters of a statement that inserts these rows as a list of values.
pub(crate) fn list<'r>(rows: impl IntoIterator<Item = &'r [Value]>) -> Vec<Bound> {
    rows.into_iter().flatten().map(bound).collect()
}

fn bound(value: &Value) -> Bound {
    if value.is_null() { Bound::Null } else { Bound::Text(text(value)) }
}

fn column<'a>(ty: &ModelType, values: impl Iterator<Item = &'a Value> + Clone) -> Bound {
    let maybe_text = |value: &Value| (!value.is_null()).then(|| text(value));
    if !matches!(ty, ModelType::Integer { .. }) {
        return Bound::MaybeTexts(values.map(maybe_text).collect());
    }
    let maybe_int = |value: &Value| match value {
        Value::Null => Some(None),
        Value::Int(int) => Some(Some(*int)),
        _ => None,
    };
    match values.clone().map(maybe_int).collect() {
        Some(ints) => Bound::MaybeInts(ints),
        // The server reports what is wrong with them.
        None => Bound::Text(array_literal(values)),
    }
}

fn key_array(ty: &ModelType, keys: &[&[Value]], part: usize) -> Bound {
    let values = keys.iter().map(|key| &key[part]);
    match ty {
        ModelType::Integer { .. } => Bound::Ints(
            values.map(|value| if let Value::Int(int) = value { *int } else { 0 }).collect(),
        ),
        ModelType::Text => Bound::Texts(values.map(text).collect()),
        _ => Bound::Text(array_literal(values)),
    }
}

/// PostgreSQL's text form of an array: `{"a","b"}`.
fn array_literal<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let mut literal = String::from("{");
    for (index, value) in values.enumerate() {
        if index > 0 {
            literal.push(',');
        }
        if value.is_null() {
            literal.push_str("NULL");
            continue;
        }
        literal.push('"');
        for char in text(value).chars() {
            if matches!(char, '"' | '\\') {
                literal.push('\\');
            }
            literal.push(char);
        }
        literal.push('"');
    }
    literal.push('}');
    literal
}

fn text(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => {
            let mut hex = String::from("\\x");
            for byte in bytes {
                // Writing to a String cannot fail.
                let _ = write!(hex, "{byte:02x}");
            }
            hex
        }
        Value::Float(float) if float.is_infinite() => {
            if *float > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        other => other.to_string(),
    }
}

/// Whatever the column's type, its bytes.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Appends the cells of a row from column `start` on.
pub(crate) fn push_row(
    row: &Row,
    start: usize,
    codecs: &[Codec],
    set: &mut RowSet,
) -> Result<(), tokio_postgres::Error> {
    for (column, codec) in codecs.iter().enumerate() {
        let raw: Option<Raw<'_>> = row.try_get(start + column)?;
        let cell = |Raw(bytes)| match codec {
            // It may be anything, so the writer checks it, as it does with texts of SQLite.
            Codec::Json if is_text(row.columns()[start + column].type_()) => Datum::Text(bytes),
            _ => codec.wire_cell(bytes),
        };
        set.push(raw.map_or(Datum::Null, cell));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_quoted() {
        let values = [Value::Text("a\"b\\c,{}".into()), Value::Int(1), Value::Bytes(vec![255])];
        assert_eq!(array_literal(values.iter()), r#"{"a\"b\\c,{}","1","\\xff"}"#);
        let values = [Value::Null, Value::Text("NULL".into())];
        assert_eq!(array_literal(values.iter()), r#"{NULL,"NULL"}"#);
    }
}
