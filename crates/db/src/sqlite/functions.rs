//! The SQL functions that Duet's SQLite connections have, so that filters and orders mean the same
//! as on PostgreSQL.

use std::sync::Arc;

use duet_document::{Codec, Datum, parse_interval, parse_time, parse_timestamp};
use duet_filter::json::Matcher;
use duet_filter::{order_key, regex};
use duet_model::relevance::Relevance;
use duet_model::{Fold, JsonPredicate, JsonStep, LexemeQuery, TextQuery, like, trigram};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};

use super::pairs;

/// Registers `duet_timestamp`, `duet_earliest`, `duet_latest`, `duet_time`, `duet_interval`,
/// `duet_uuid`, `duet_like`, `duet_ilike` and the others that conditions and orders call.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("duet_timestamp", 1, flags, |context| {
        ordered(context, timestamp)
    })?;
    connection.create_scalar_function("duet_earliest", 1, flags, |context| {
        bound(context, |moment| spelled_on(moment - FURTHEST))
    })?;
    connection.create_scalar_function("duet_latest", 1, flags, |context| {
        // The date is followed by a blank or a T, which sort before this.
        bound(context, |moment| spelled_on(moment + FURTHEST) + "~")
    })?;
    connection.create_scalar_function("duet_time", 1, flags, |context| ordered(context, time))?;
    connection
        .create_scalar_function("duet_interval", 1, flags, |context| ordered(context, interval))?;
    connection.create_scalar_function("duet_uuid", 1, flags, uuid)?;
    connection.create_scalar_function("duet_json", 2, flags, inside)?;
    connection.create_scalar_function("duet_json_order", 2, flags, place)?;
    connection.create_scalar_function("duet_text", 2, flags, words)?;
    connection.create_scalar_function("duet_words", 2, flags, lexemes)?;
    connection.create_scalar_function("duet_regex", 2, flags, regex)?;
    // Indexes of collections and their conditions call these.
    let indexed = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, by) in [
        ("duet_fold", Fold::Both),
        ("duet_fold_case", Fold::Case),
        ("duet_fold_accents", Fold::Accents),
    ] {
        connection.create_scalar_function(name, 1, indexed, move |context| fold(context, by))?;
    }
    connection.create_scalar_function("duet_lexemes", 1, indexed, |context| {
        Ok(text(context, 0).map(|text| duet_model::lexemes::lexemes(&text).join(" ")))
    })?;
    // FTS5's trigrams end at a NUL, which no search has.
    connection.create_scalar_function("duet_parts", 1, indexed, |context| {
        Ok(text(context, 0).map(|text| text.replace('\0', "\u{fffd}")))
    })?;
    connection.create_scalar_function("duet_similar", 2, flags, |context| {
        Ok(pair(context).map(|(one, other)| trigram::is_similar(&one, &other)))
    })?;
    connection.create_scalar_function("duet_distance", 2, flags, |context| {
        Ok(pair(context).map(|(one, other)| f64::from(trigram::distance(&one, &other))))
    })?;
    connection.create_scalar_function("duet_relevance", 2, flags, relevance)?;
    pairs::register(connection, flags, indexed)?;
    connection.create_scalar_function("duet_member", 2, flags, member)?;
    connection.create_scalar_function("duet_json_value", 2, flags, value)?;
    connection.create_scalar_function("duet_number", 1, indexed, |context| {
        Ok(text(context, 0).filter(|text| duet_filter::json::is_number(text)))
    })?;
    connection.create_scalar_function("duet_moment", 1, indexed, |context| {
        Ok(text(context, 0).and_then(|text| duet_model::temporal::moment_of(&text)))
    })?;
    connection
        .create_scalar_function("duet_like", 2, indexed, |context| matches(context, false))?;
    connection.create_scalar_function("duet_ilike", 2, flags, |context| matches(context, true))
}

/// Two texts; `None` where one is NULL.
fn pair(context: &Context<'_>) -> Option<(String, String)> {
    Some((text(context, 0)?, text(context, 1)?))
}

/// A text as the number that orders it by its type; texts without such a number are unchanged.
fn ordered(context: &Context<'_>, number: fn(&str) -> Option<i64>) -> rusqlite::Result<Value> {
    let value = context.get_raw(0);
    let number = match value {
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(number),
        _ => None,
    };
    Ok(match number {
        Some(number) => Value::Integer(number),
        None => Value::try_from(value)?,
    })
}

/// Microseconds since 2000-01-01 UTC.
fn timestamp(text: &str) -> Option<i64> {
    let (micros, east) = parse_timestamp(text)?;
    Some(micros - i64::from(east.unwrap_or(0)) * 1_000_000)
}

/// How far the clock in a text can be from the moment that it means: an offset is less than 16 hours,
/// and seconds may go to 99.
const FURTHEST: i64 = (16 * 3_600 + 99) * 1_000_000;

/// A text that sorts before, or behind, every text of the same moment; any other text as it
/// is. SQLite takes these for the ends of a range of an index.
fn bound(context: &Context<'_>, bound: fn(i64) -> String) -> rusqlite::Result<Value> {
    let value = context.get_raw(0);
    let moment = match value {
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(timestamp),
        _ => None,
    };
    moment.map_or_else(|| Ok(Value::try_from(value)?), |moment| Ok(Value::Text(bound(moment))))
}

/// The date of a moment, within the years that a text can spell.
fn spelled_on(moment: i64) -> String {
    let limit = |text| parse_timestamp(text).map_or(moment, |(micros, _)| micros);
    let moment = moment.clamp(limit("0000-01-01"), limit("9999-12-31"));
    let mut json = Vec::with_capacity(24);
    Codec::Timestamp.write(Datum::Wire(&moment.to_be_bytes()), &mut json);
    String::from_utf8_lossy(json.get(1..11).unwrap_or_default()).into_owned()
}

/// By the moment in UTC, then by the offset, east first.
fn time(text: &str) -> Option<i64> {
    let (micros, east) = parse_time(text)?;
    let east = i64::from(east.unwrap_or(0));
    Some((micros - east * 1_000_000) * 1_000_000 - east)
}

/// Microseconds, where a month has 30 days and a day 24 hours.
fn interval(text: &str) -> Option<i64> {
    let (months, days, micros) = parse_interval(text)?;
    let days = i64::from(months) * 30 + i64::from(days);
    Some(days.saturating_mul(86_400_000_000).saturating_add(micros))
}

/// A UUID in lower case, whether it is stored as text or as its 16 bytes; anything else as it is.
fn uuid(context: &Context<'_>) -> rusqlite::Result<Value> {
    Ok(match context.get_raw(0) {
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).to_lowercase()),
        ValueRef::Blob(bytes) if bytes.len() == 16 => {
            let mut json = Vec::with_capacity(38);
            Codec::Uuid.write(Datum::Blob(bytes), &mut json);
            Value::Text(String::from_utf8_lossy(&json).trim_matches('"').to_owned())
        }
        other => Value::try_from(other)?,
    })
}

/// Whether a JSON text satisfies a test, which is read once per statement.
fn inside(context: &Context<'_>) -> rusqlite::Result<bool> {
    let test = context.get_or_create_aux(1, |test| match test {
        ValueRef::Text(test) => {
            let test = std::str::from_utf8(test).ok().and_then(JsonPredicate::decode);
            test.map(Matcher::new).ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(match context.get_raw(0) {
        ValueRef::Text(text) => test.holds(&String::from_utf8_lossy(text)),
        ValueRef::Integer(value) => test.holds(&value.to_string()),
        ValueRef::Real(value) => test.holds(&value.to_string()),
        ValueRef::Null | ValueRef::Blob(_) => false,
    })
}

/// The key by which a value inside a JSON text is ordered; the path is read once per statement.
fn place(context: &Context<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    let at = path(context)?;
    Ok(text(context, 0).and_then(|text| order_key(&text, &at.path)))
}

/// The text of the value at a path inside a JSON text; the path is read once per statement.
fn member(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    let at = path(context)?;
    Ok(text(context, 0).and_then(|json| duet_filter::json::text_at(&json, &at.path)))
}

/// The text of the only value that steps inside a JSON text lead to; the steps are read once per statement.
fn value(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    let steps = context.get_or_create_aux(1, |steps| match steps {
        ValueRef::Text(steps) => {
            let steps = std::str::from_utf8(steps).ok().and_then(JsonStep::decode);
            steps.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(text(context, 0).and_then(|json| duet_filter::json::text_along(&json, &steps)))
}

/// The path that the second argument is.
fn path(context: &Context<'_>) -> rusqlite::Result<Arc<JsonPredicate>> {
    context.get_or_create_aux(1, |path| match path {
        ValueRef::Text(path) => {
            let path = std::str::from_utf8(path).ok().and_then(JsonPredicate::decode);
            path.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })
}

/// Whether a text has the words of a query, which is read once per statement.
fn words(context: &Context<'_>) -> rusqlite::Result<Option<bool>> {
    let query = context.get_or_create_aux(1, |query| match query {
        ValueRef::Text(query) => {
            let query = std::str::from_utf8(query).ok().and_then(TextQuery::parse);
            query.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(text(context, 0).map(|text| query.matches(&text)))
}

/// Whether a text has the words of a query, split as PostgreSQL does; the query is read once per statement.
fn lexemes(context: &Context<'_>) -> rusqlite::Result<Option<bool>> {
    let query = context.get_or_create_aux(1, |query| match query {
        ValueRef::Text(query) => {
            let query = std::str::from_utf8(query).ok().and_then(LexemeQuery::decode);
            query.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(text(context, 0).map(|text| query.matches(&text)))
}

/// The rank of a text for words, which are cut once per statement.
fn relevance(context: &Context<'_>) -> rusqlite::Result<Option<f64>> {
    let words = context.get_or_create_aux(1, |words| match words {
        ValueRef::Text(words) => std::str::from_utf8(words)
            .map(Relevance::new)
            .map_err(|_| rusqlite::Error::InvalidQuery),
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(text(context, 0).map(|text| f64::from(words.rank(&text))))
}

/// Whether a part of a text matches a regular expression, which is compiled once per statement.
fn regex(context: &Context<'_>) -> rusqlite::Result<Option<bool>> {
    let pattern = context.get_or_create_aux(1, |pattern| match pattern {
        ValueRef::Text(pattern) => {
            let regex = std::str::from_utf8(pattern).ok().and_then(regex::compile);
            regex.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })?;
    Ok(text(context, 0).map(|text| pattern.is_match(&text)))
}

/// A text without case, accents or both.
fn fold(context: &Context<'_>, fold: Fold) -> rusqlite::Result<Option<String>> {
    Ok(text(context, 0).map(|text| fold.apply(&text)))
}

fn matches(context: &Context<'_>, ignore_case: bool) -> rusqlite::Result<Option<bool>> {
    let (Some(text), Some(pattern)) = (text(context, 0), text(context, 1)) else { return Ok(None) };
    Ok(Some(like::matches(&pattern, &text, ignore_case)))
}

/// An argument as text; `None` for a BLOB.
fn text(context: &Context<'_>, index: usize) -> Option<String> {
    match context.get_raw(index) {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(value) => Some(value.to_string()),
        ValueRef::Real(value) => Some(value.to_string()),
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
}
