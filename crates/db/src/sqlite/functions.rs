//! The SQL functions that Duet's SQLite connections have, so that filters and orders mean the same
//! as on PostgreSQL.

use duet_document::parse_timestamp;
use duet_filter::like;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};

/// Registers `duet_timestamp`, `duet_like` and `duet_ilike`.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("duet_timestamp", 1, flags, timestamp)?;
    connection.create_scalar_function("duet_like", 2, flags, |context| matches(context, false))?;
    connection.create_scalar_function("duet_ilike", 2, flags, |context| matches(context, true))
}

/// A text that is a timestamp as microseconds since 2000-01-01 UTC; anything else as it is.
fn timestamp(context: &Context<'_>) -> rusqlite::Result<Value> {
    let value = context.get_raw(0);
    let parsed = match value {
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(parse_timestamp),
        _ => None,
    };
    Ok(match parsed {
        Some((micros, offset)) => {
            Value::Integer(micros - i64::from(offset.unwrap_or(0)) * 1_000_000)
        }
        None => Value::try_from(value)?,
    })
}

fn matches(context: &Context<'_>, ignore_case: bool) -> rusqlite::Result<Option<bool>> {
    let text = |index| -> rusqlite::Result<Option<String>> {
        Ok(match context.get_raw(index) {
            ValueRef::Null | ValueRef::Blob(_) => None,
            ValueRef::Integer(value) => Some(value.to_string()),
            ValueRef::Real(value) => Some(value.to_string()),
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        })
    };
    let (Some(text), Some(pattern)) = (text(0)?, text(1)?) else { return Ok(None) };
    Ok(Some(like::matches(&pattern, &text, ignore_case)))
}
