//! The SQL functions that Duet's SQLite connections have, so that filters and orders mean the same
//! as on PostgreSQL.
//!
//! Functions count their own work, so a deadline ends them too.

pub(crate) mod calculations;
pub(crate) mod digits;
pub(crate) mod interrupt;
pub(crate) mod pairs;
pub(crate) mod register;

use std::borrow::Cow;
use std::sync::Arc;

use duet_document::{Codec, Datum, parse_interval, parse_time, parse_timestamp};
use duet_filter::json::{Matcher, inside_along, joined, text_along, text_at};
use duet_filter::{element_values, order_key, regex};
use duet_model::key::{parse_text, untyped_number};
use duet_model::{ArrayPath, JsonPredicate, Type, Value as ModelValue};
use duet_text::effort::Effort;
use duet_text::json::binary::number_text;
use duet_text::lexemes::lexemes_within;
use duet_text::relevance::Relevance;
use duet_text::{Fold, JsonStep, LexemeQuery, TextQuery, like, trigram};
use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};

use crate::functions::interrupt::{Interrupt, interrupted};
use crate::functions::register::{Ended, Register, argument, once};

/// As [`register_for`], for work that is never over.
pub fn register(connection: &Connection) -> rusqlite::Result<()> {
    register_for(connection, &Arc::default())
}

/// Registers `duet_timestamp`, `duet_earliest`, `duet_latest`, `duet_time`, `duet_interval`,
/// `duet_uuid`, `duet_like`, `duet_ilike` and the others that conditions and orders call. Each counts its work, and ends
/// where the interrupt says so.
pub(crate) fn register_for(
    connection: &Connection,
    interrupt: &Arc<Interrupt>,
) -> rusqlite::Result<()> {
    let to = Register::new(connection, interrupt);
    register_values(&to)?;
    register_json(&to)?;
    register_texts(&to)?;
    calculations::register(&to)?;
    digits::register(&to)?;
    pairs::register(&to)
}

/// The number that a key in a path is, besides the text.
fn number_of_text(text: &str) -> Option<Value> {
    match untyped_number(text)? {
        ModelValue::Int(value) => Some(Value::Integer(value)),
        ModelValue::Float(value) => Some(Value::Real(value)),
        _ => None,
    }
}

/// The bytes that a key in a path is, besides the text.
fn bytes_of_text(text: &str) -> Option<Vec<u8>> {
    match parse_text(&Type::Binary, text) {
        Ok(ModelValue::Bytes(bytes)) if !bytes.is_empty() => Some(bytes),
        _ => None,
    }
}

/// What values are compared by.
fn register_values(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add("duet_timestamp", 1, |context, effort| ordered(context, effort, timestamp))?;
    to.add("duet_earliest", 1, |context, effort| {
        bound(context, effort, |moment| match moment == INFINITE[0] {
            // Before all others.
            true => "-".to_owned(),
            false => spelled_on(moment.saturating_sub(FURTHEST)),
        })
    })?;
    to.add("duet_latest", 1, |context, effort| {
        // The date is followed by a blank or a T, which sort before this.
        bound(context, effort, |moment| match moment == INFINITE[1] {
            true => "infinity~".to_owned(),
            false => spelled_on(moment.saturating_add(FURTHEST)) + "~",
        })
    })?;
    to.add("duet_time", 1, |context, effort| ordered(context, effort, time))?;
    to.add("duet_interval", 1, |context, effort| ordered(context, effort, interval))?;
    to.add("duet_uuid", 1, uuid)?;
    to.add_indexed("duet_number", 1, |context, effort| {
        let text = text(context, 0, effort)?;
        Ok(text.filter(|text| duet_filter::json::is_number(text)).map(Cow::into_owned))
    })?;
    to.add("duet_untyped_number", 1, |context, effort| {
        Ok(match argument(context, 0, effort)? {
            ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(number_of_text),
            _ => None,
        })
    })?;
    to.add("duet_untyped_bytes", 1, |context, effort| {
        Ok(match argument(context, 0, effort)? {
            ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(bytes_of_text),
            _ => None,
        })
    })?;
    to.add_indexed("duet_moment", 1, |context, effort| {
        Ok(text(context, 0, effort)?.and_then(|text| duet_text::time::moment::instant_key(&text)))
    })
}

fn register_json(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add("duet_json", 2, inside)?;
    to.add("duet_json_order", 2, place)?;
    to.add("duet_member", 2, member)?;
    to.add("duet_json_value", 2, value)?;
    to.add("duet_json_inside", 2, |context, effort| along(context, effort, false))?;
    to.add("duet_json_inside_text", 2, |context, effort| along(context, effort, true))?;
    to.add("duet_elements", 2, |context, effort| {
        let path = once(context, ArrayPath::parse)?;
        let text = json(context, 0, effort)?;
        text.map(|text| element_values(&text, &path, effort)).transpose().map_err(interrupted)
    })?;
    to.add_indexed("duet_joined", 2, |context, effort| {
        let (stored, paths) = (text(context, 0, effort)?, text(context, 1, effort)?);
        let Some((stored, paths)) = stored.zip(paths) else { return Ok(None) };
        joined(&stored, &paths, effort).map_err(interrupted)
    })
}

fn register_texts(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add_indexed("duet_like", 2, |context, effort| matches(context, effort, false))?;
    to.add("duet_ilike", 2, |context, effort| matches(context, effort, true))?;
    to.add("duet_contains", 2, contains)?;
    to.add("duet_text", 2, words)?;
    to.add("duet_words", 2, lexemes)?;
    to.add("duet_regex", 2, regex)?;
    for (name, by) in [
        ("duet_fold", Fold::Both),
        ("duet_fold_case", Fold::Case),
        ("duet_fold_accents", Fold::Accents),
    ] {
        to.add_indexed(name, 1, move |context, effort| {
            let text = text(context, 0, effort)?;
            text.map(|text| by.apply_within(&text, effort)).transpose().map_err(interrupted)
        })?;
    }
    to.add_indexed("duet_lexemes", 1, |context, effort| {
        let text = text(context, 0, effort)?;
        let words = text.map(|text| lexemes_within(&text, effort)).transpose();
        Ok(words.map_err(interrupted)?.map(|words| words.join(" ")))
    })?;
    // FTS5's trigrams end at a NUL, which no search has.
    to.add_indexed("duet_parts", 1, |context, effort| {
        Ok(text(context, 0, effort)?.map(|text| text.replace('\0', "\u{fffd}")))
    })?;
    to.add("duet_similar", 2, |context, effort| {
        Ok(similarity(context, effort)?.map(trigram::is_found))
    })?;
    to.add("duet_distance", 2, |context, effort| {
        Ok(similarity(context, effort)?.map(|found| f64::from(trigram::distance_of(found))))
    })?;
    to.add("duet_relevance", 2, relevance)
}

/// How similar two texts are; `None` where one is NULL.
fn similarity(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<f32>> {
    let (one, other) = (text(context, 0, effort)?, text(context, 1, effort)?);
    let both = one.zip(other);
    both.map(|(one, other)| trigram::similarity_within(&one, &other, effort))
        .transpose()
        .map_err(interrupted)
}

/// A text as the number that orders it by its type; texts without such a number are unchanged.
fn ordered(
    context: &Context<'_>,
    effort: &Effort<'_>,
    number: fn(&str) -> Option<i64>,
) -> Ended<Value> {
    let value = argument(context, 0, effort)?;
    let number = match value {
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(number),
        _ => None,
    };
    Ok(match number {
        Some(number) => Value::Integer(number),
        None => Value::try_from(value)?,
    })
}

/// The infinities: statements add one to what they compare with, or take one away.
const INFINITE: [i64; 2] = [i64::MIN + 1, i64::MAX - 1];

/// Microseconds since 2000-01-01 UTC.
fn timestamp(text: &str) -> Option<i64> {
    let (micros, east) = parse_timestamp(text)?;
    let moment = micros.saturating_sub(i64::from(east.unwrap_or(0)) * 1_000_000);
    Some(moment.clamp(INFINITE[0], INFINITE[1]))
}

/// How far the clock in a text can be from the moment that it means: an offset is less than 16 hours,
/// and seconds may go to 99.
const FURTHEST: i64 = (16 * 3_600 + 99) * 1_000_000;

/// A text that sorts before, or behind, every text of the same moment; any other text as it
/// is. SQLite takes these for the ends of a range of an index.
fn bound(context: &Context<'_>, effort: &Effort<'_>, bound: fn(i64) -> String) -> Ended<Value> {
    let value = argument(context, 0, effort)?;
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
fn uuid(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Value> {
    Ok(match argument(context, 0, effort)? {
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
fn inside(context: &Context<'_>, effort: &Effort<'_>) -> Ended<bool> {
    let test = once(context, |test| JsonPredicate::decode(test).map(Matcher::new))?;
    let text = json(context, 0, effort)?;
    text.map_or(Ok(false), |text| test.holds(&text, effort)).map_err(interrupted)
}

/// The key by which a value inside a JSON text is ordered; the path is read once per statement.
fn place(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<Vec<u8>>> {
    let at = once(context, JsonPredicate::decode)?;
    let text = json(context, 0, effort)?;
    text.map_or(Ok(None), |text| order_key(&text, &at.path, effort)).map_err(interrupted)
}

/// The text of the value at a path inside a JSON text; the path is read once per statement.
fn member(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<String>> {
    let at = once(context, JsonPredicate::decode)?;
    let text = json(context, 0, effort)?;
    text.map_or(Ok(None), |text| text_at(&text, &at.path, effort)).map_err(interrupted)
}

/// The text of the only value that steps inside a JSON text lead to; the steps are read once per statement.
fn value(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<String>> {
    let steps = once(context, JsonStep::decode)?;
    let text = json(context, 0, effort)?;
    text.map_or(Ok(None), |text| text_along(&text, &steps, effort)).map_err(interrupted)
}

/// What steps inside a JSON text lead to; the steps are read once per statement.
fn along(context: &Context<'_>, effort: &Effort<'_>, as_text: bool) -> Ended<Option<String>> {
    let steps = once(context, JsonStep::decode)?;
    let text = json(context, 0, effort)?;
    let inside = |text: &str| inside_along(text, &steps, as_text, effort);
    text.map_or(Ok(None), |text| inside(&text)).map_err(interrupted)
}

/// Whether a text has the words of a query, which is read once per statement.
fn words(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<bool>> {
    let query = once(context, TextQuery::parse)?;
    let text = text(context, 0, effort)?;
    text.map(|text| query.matches(&text, effort)).transpose().map_err(interrupted)
}

/// Whether a text has the words of a query, split as PostgreSQL does; the query is read once per statement.
fn lexemes(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<bool>> {
    let query = once(context, LexemeQuery::decode)?;
    let text = text(context, 0, effort)?;
    text.map(|text| query.matches(&text, effort)).transpose().map_err(interrupted)
}

/// The rank of a text for words, which are cut once per statement.
fn relevance(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<f64>> {
    let words = once(context, |words| Some(Relevance::new(words)))?;
    let text = text(context, 0, effort)?;
    let rank = text.map(|text| words.rank_within(&text, effort)).transpose();
    Ok(rank.map_err(interrupted)?.map(f64::from))
}

/// Whether a part of a text matches a regular expression, which is compiled once per statement.
fn regex(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<bool>> {
    let pattern = once(context, regex::compile)?;
    let text = text(context, 0, effort)?;
    text.map(|text| pattern.matches(&text, effort)).transpose().map_err(interrupted)
}

/// Whether a text matches a pattern of `LIKE`, which is compiled once per statement.
fn matches(context: &Context<'_>, effort: &Effort<'_>, ignore_case: bool) -> Ended<Option<bool>> {
    if context.get_raw(1) == ValueRef::Null {
        return Ok(None);
    }
    let pattern = context.get_or_create_aux(1, |pattern| {
        let pattern = shown(pattern).ok_or(rusqlite::Error::InvalidQuery)?;
        Ok::<_, rusqlite::Error>(like::Pattern::new(&pattern, ignore_case))
    })?;
    let text = text(context, 0, effort)?;
    text.map(|text| pattern.matches(&text, effort)).transpose().map_err(interrupted)
}

/// Whether a text contains another one, which is prepared once per statement.
fn contains(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<bool>> {
    let part = once(context, |part| Some(like::Pattern::containing(part)))?;
    let text = match argument(context, 0, effort)? {
        ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
        value => shown(value),
    };
    text.map(|text| part.matches(&text, effort)).transpose().map_err(interrupted)
}

/// An argument as text; `None` for a BLOB.
fn text<'c>(
    context: &'c Context<'_>,
    index: usize,
    effort: &Effort<'_>,
) -> Ended<Option<Cow<'c, str>>> {
    argument(context, index, effort).map(shown)
}

/// The text of a JSON value; `None` for bytes that are none.
fn json<'c>(
    context: &'c Context<'_>,
    index: usize,
    effort: &Effort<'_>,
) -> Ended<Option<Cow<'c, str>>> {
    Ok(match argument(context, index, effort)? {
        ValueRef::Blob(bytes) => number_text(bytes).map(Cow::Borrowed),
        value => shown(value),
    })
}

fn shown(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(value) => Some(Cow::Owned(value.to_string())),
        ValueRef::Real(value) => Some(Cow::Owned(value.to_string())),
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text)),
    }
}
