//! Bodies as clients of RMB send them: its generated classes and their reader of JSON (Jackson) take a text for a number
//! or a switch, and a number for a text; have an empty list for every array; keep dates in UTC; and write no `null`.
//!
//! The walk follows the body, with the JSON Schema beside it, so that schemas may refer to themselves.

use std::borrow::Cow;

use duet_text::json::{Json, JsonKind, JsonMember, STORED, read};
use duet_text::time::moment::{moment_of, moment_text, read_clock, read_date};
use serde_json::Value;

use crate::fields::resolved;

/// Milliseconds of the first and the last moment that a number may mean: those of years of four digits.
const MOMENTS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// Converts the values of a document in place; what cannot be converted stays, and the schema refuses it.
pub(crate) fn convert<'t>(schema: &'t Value, body: &mut Json<'t>) {
    value(schema, schema, body);
}

fn value<'t>(root: &'t Value, schema: &'t Value, json: &mut Json<'t>) {
    let given_format = schema.get("format");
    let schema = resolved(root, schema);
    let format = given_format.or_else(|| schema.get("format")).and_then(Value::as_str);
    match (kind(schema), &mut json.kind) {
        (_, JsonKind::Object(members)) => object(root, schema, members),
        (_, JsonKind::List(elements)) => {
            if let Some(items) = schema.get("items") {
                elements.iter_mut().for_each(|element| value(root, items, element));
            }
        }
        (Some("string"), _) if format == Some("date-time") => date(json),
        (Some(kind), _) => scalar(kind, json),
        _ => {}
    }
}

fn object<'t>(root: &'t Value, schema: &'t Value, members: &mut Vec<JsonMember<'t>>) {
    let Some(declared) = schema.get("properties").and_then(Value::as_object) else { return };
    members.retain(|member| !(member.value.is_null() && declared.contains_key(&*member.name)));
    for member in members.iter_mut() {
        if let Some(schema) = declared.get(&*member.name) {
            value(root, schema, &mut member.value);
        }
    }
    for (name, member) in declared {
        let target = resolved(root, member);
        let is_absent = members.iter().all(|given| given.name != *name);
        let has_default = member.get("default").or_else(|| target.get("default")).is_some();
        if is_absent && !has_default && kind(target) == Some("array") {
            let empty = Json::new(JsonKind::List(Vec::new()));
            members.push(JsonMember { at: 0, name: Cow::Borrowed(name), value: empty });
        }
    }
}

/// The one type of a schema beside `null`.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ => None,
    }
}

fn scalar(kind: &str, json: &mut Json<'_>) {
    let converted = match (kind, &json.kind) {
        ("string", JsonKind::Number(number)) => {
            Some(JsonKind::Text(Cow::Owned((*number).to_owned())))
        }
        ("string", JsonKind::Bool(value)) => Some(JsonKind::Text(Cow::Owned(value.to_string()))),
        ("boolean", JsonKind::Text(text)) if text.eq_ignore_ascii_case("true") => {
            Some(JsonKind::Bool(true))
        }
        ("boolean", JsonKind::Text(text)) if text.eq_ignore_ascii_case("false") => {
            Some(JsonKind::Bool(false))
        }
        // The text of a body is borrowed unless it has escapes, which a number has none of.
        ("number" | "integer", JsonKind::Text(Cow::Borrowed(text))) => match read(text, &STORED, 1)
        {
            Ok(Json { kind: JsonKind::Number(number), .. }) if number == *text => {
                Some(JsonKind::Number(number))
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(kind) = converted {
        json.kind = kind;
    }
}

/// Brings a date with or without time, and milliseconds since 1970, into the form of RMB:
/// `2020-12-25T00:00:00.000+00:00`. Without an offset it is one of UTC.
fn date(json: &mut Json<'_>) {
    let millis = match &json.kind {
        JsonKind::Text(text) => millis_of(text),
        JsonKind::Number(number) => number.parse::<i64>().ok(),
        _ => None,
    };
    let Some(millis) = millis.filter(|millis| MOMENTS.contains(millis)) else { return };
    let seconds = moment_text(millis.div_euclid(1_000) * 1_000_000);
    let text = format!("{seconds}.{:03}+00:00", millis.rem_euclid(1_000));
    json.kind = JsonKind::Text(Cow::Owned(text));
}

/// The moment of a date as milliseconds since 1970. Jackson's reader drops finer digits, which schemas take in any number,
/// takes every offset, and counts a leap second as the first one of the next minute.
fn millis_of(text: &str) -> Option<i64> {
    if let Some(micros) = moment_of(text) {
        return Some(micros.div_euclid(1_000));
    }
    let (days, rest) = read_date(text)?;
    let (clock, rest) = read_clock(rest.strip_prefix(['T', 't', ' '])?)?;
    let minutes = clock.hours * 60 + clock.minutes - offset_minutes(rest)?;
    let seconds = (days * 24 * 60 + minutes) * 60 + clock.seconds;
    let millis: i64 = format!("{:0<3.3}", clock.fraction).parse().ok()?;
    let exists = clock.hours < 24 && clock.minutes < 60 && clock.seconds <= 60;
    exists.then_some(seconds * 1_000 + millis)
}

/// The minutes of an offset of less than a day east of UTC, with or without a colon, of which there may be none.
fn offset_minutes(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let digits = text.strip_prefix(['+', '-'])?.replacen(':', "", 1);
    let is_read = matches!(digits.len(), 2 | 4) && digits.bytes().all(|it| it.is_ascii_digit());
    let number: i64 = digits.parse().ok().filter(|_| is_read)?;
    let (hours, minutes) =
        if digits.len() == 2 { (number, 0) } else { (number / 100, number % 100) };
    let sign = if text.starts_with('-') { -1 } else { 1 };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str) -> String {
        let schema = serde_json::json!({ "properties": {
            "count": { "type": "integer" }, "name": { "type": "string" }, "rush": { "type": "boolean" },
            "due": { "type": ["string", "null"], "format": "date-time" }, "tags": { "type": "array" },
            "cost": { "type": "object", "properties": { "price": { "type": "number" } } },
            "places": { "type": "array", "items": { "$ref": "#/definitions/place" } }
        }, "definitions": { "place": { "properties": {
            "quantity": { "type": "integer" }, "within": { "type": "array", "items": { "$ref": "#/definitions/place" } }
        } } } });
        let mut json = read(text, &STORED, 16).unwrap();
        convert(&schema, &mut json);
        let mut out = String::new();
        json.write(&mut out);
        out
    }

    #[test]
    fn scalars_have_the_types_of_the_schema() {
        let given = r#"{"count":"7","name":5,"rush":"true","cost":{"price":"1.50"},"tags":["x"],"places":[{"quantity":"2","within":[]},{"quantity":"x","within":[{"quantity":"3"}]}],"other":"7"}"#;
        let expected = r#"{"count":7,"name":"5","rush":true,"cost":{"price":1.50},"tags":["x"],"places":[{"quantity":2,"within":[]},{"quantity":"x","within":[{"quantity":3,"within":[]}]}],"other":"7"}"#;
        assert_eq!(converted(given), expected);
    }

    #[test]
    fn arrays_begin_empty_and_nulls_go() {
        let given = r#"{"name":null,"cost":{},"tags":null,"other":null}"#;
        assert_eq!(converted(given), r#"{"cost":{},"other":null,"tags":[],"places":[]}"#);
    }

    #[test]
    fn dates_are_in_utc() {
        for (given, expected) in [
            (r#""2020-12-25""#, r#""2020-12-25T00:00:00.000+00:00""#),
            (r#""2020-12-25T01:00:00+0100""#, r#""2020-12-25T00:00:00.000+00:00""#),
            (r#""2020-12-25T10:11:12.345678""#, r#""2020-12-25T10:11:12.345+00:00""#),
            (r#""2020-12-25T10:11:12Z""#, r#""2020-12-25T10:11:12.000+00:00""#),
            // What Java's `Instant` prints on Linux, and offsets that PostgreSQL does not have.
            (r#""2024-05-01T12:00:00.1234567+05:00""#, r#""2024-05-01T07:00:00.123+00:00""#),
            (r#""2024-05-01T12:00:00.999999999Z""#, r#""2024-05-01T12:00:00.999+00:00""#),
            (r#""2024-05-01T12:00:00.5+18:00""#, r#""2024-04-30T18:00:00.500+00:00""#),
            (r#""2024-05-01T12:00:00-2359""#, r#""2024-05-02T11:59:00.000+00:00""#),
            (r#""1969-12-31T23:59:59.9999999Z""#, r#""1969-12-31T23:59:59.999+00:00""#),
            (r#""2016-12-31T23:59:60.250Z""#, r#""2017-01-01T00:00:00.250+00:00""#),
            (r#""2024-05-01T12:00:00.1234567+24:00""#, r#""2024-05-01T12:00:00.1234567+24:00""#),
            (r#""2024-05-01T12:00:61Z""#, r#""2024-05-01T12:00:61Z""#),
            ("1608854400001", r#""2020-12-25T00:00:00.001+00:00""#),
            (r#""soon""#, r#""soon""#),
            ("99999999999999999", "99999999999999999"),
        ] {
            let found = converted(&format!(r#"{{"due":{given},"tags":[],"places":[]}}"#));
            assert_eq!(found, format!(r#"{{"due":{expected},"tags":[],"places":[]}}"#));
        }
    }
}
