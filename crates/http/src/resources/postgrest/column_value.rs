//! Values of bodies as their columns take them: PostgreSQL reads a JSON text as any type, and any JSON value as a text.

use duet_filter::postgrest::as_read;
use duet_model::Type;
use duet_text::json::{Json, JsonKind};
use serde_json::json;

/// Appends a value in the JSON type of a column; one that cannot be is appended as it is.
pub(super) fn write(ty: &Type, value: &Json<'_>, out: &mut String) {
    match (&value.kind, ty) {
        (_, ty) if ty.domain_casts().is_some() => value.write(out),
        (JsonKind::Text(text), _) => match of_text(ty, text.trim()) {
            Some(known) => out.push_str(&known),
            None => value.write(out),
        },
        (JsonKind::Number(_) | JsonKind::Bool(_) | JsonKind::List(_) | JsonKind::Object(_), ty)
            if ty.is_text() =>
        {
            let mut text = String::new();
            value.write(&mut text);
            out.push_str(&json!(text).to_string());
        }
        _ => value.write(out),
    }
}

/// A text as a number or a boolean, or in Duet's form; `None` where it stays as it is.
fn of_text(ty: &Type, text: &str) -> Option<String> {
    match ty {
        Type::Integer { .. } => text.parse::<i128>().ok().map(|number| number.to_string()),
        Type::Decimal { .. } | Type::Float { .. } => {
            let is_json = serde_json::from_str::<serde_json::Number>(text).is_ok();
            let special = || Some(as_read(ty, text)).filter(|read| *read != text);
            is_json
                .then(|| text.to_owned())
                .or_else(|| special().map(|read| json!(read).to_string()))
        }
        Type::Boolean => {
            let read = as_read(ty, text);
            matches!(&*read, "true" | "false").then(|| read.into_owned())
        }
        Type::Timestamp | Type::Date | Type::Time => Some(json!(as_read(ty, text)).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use duet_text::json::JsonLimits;
    use duet_text::json::body::Body;

    use super::*;

    fn written(ty: &Type, text: &str) -> String {
        let body = Body::read(text.into(), JsonLimits::depth(8)).unwrap();
        let mut out = String::new();
        write(ty, &body.json(), &mut out);
        out
    }

    #[test]
    fn texts_are_read_by_their_columns() {
        let whole = Type::Integer { bits: 32 };
        for (ty, given, expected) in [
            (&whole, "\" 5 \"", "5"),
            (&whole, "\"x\"", "\"x\""),
            (&whole, "5", "5"),
            (&Type::Decimal { scale: None }, "\"1.50\"", "1.50"),
            (&Type::Decimal { scale: None }, "\"NaN\"", "\"NaN\""),
            (&Type::Boolean, "\"t\"", "true"),
            (&Type::Boolean, "\"OFF\"", "false"),
            (&Type::Boolean, "\"maybe\"", "\"maybe\""),
            (&Type::Decimal { scale: None }, "\"nan\"", "\"NaN\""),
            (&Type::Timestamp, "\"2024-01-01T10:00:00+05:00\"", "\"2024-01-01T10:00:00\""),
            (&Type::TimestampTz, "\"2024-01-01T10:00:00+05\"", "\"2024-01-01T10:00:00+05\""),
            (&Type::Text, "5.0", "\"5.0\""),
            (&Type::Text, "{\"a\":1}", "\"{\\\"a\\\":1}\""),
            (&Type::Text, "null", "null"),
            (&Type::Json, "\"5\"", "\"5\""),
        ] {
            assert_eq!(written(ty, given), expected, "{given}");
        }
    }
}
