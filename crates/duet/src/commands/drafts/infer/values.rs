//! The type of a column, by the values that the documents have for it.

use duet_model::{Type, temporal};
use serde_json::Value;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// Whole numbers of 32 bits.
    Integer,
    /// Whole numbers of 64 bits.
    BigInteger,
    /// Numbers with decimals.
    Numeric,
    /// Texts.
    Text,
    /// `true` and `false`.
    Boolean,
    /// Dates.
    Date,
    /// Dates with a time and without zone.
    Timestamp,
    /// Moments, written with `Z`.
    TimestampTz,
    /// Any JSON.
    Json,
}

/// The digits of a number that both stores keep in a column of numbers.
const DIGITS: usize = 15;

impl ColumnType {
    /// The type that holds all of some scalars without changing their text; `None` where they are of
    /// several types. There is at least one.
    pub(super) fn of(values: &[&Value]) -> Option<Self> {
        let all = |is: fn(&Value) -> bool| values.iter().all(|value| is(value));
        if all(Value::is_boolean) {
            return Some(Self::Boolean);
        }
        if all(Value::is_number) {
            return Some(number(values));
        }
        let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        (texts.len() == values.len()).then(|| text(&texts))
    }

    /// Its name in SQL; both stores have the same.
    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::BigInteger => "bigint",
            Self::Numeric => "numeric",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::TimestampTz => "timestamp with time zone",
            Self::Json => "json",
        }
    }

    /// Whether it can identify rows.
    pub(super) fn is_key(self) -> bool {
        matches!(self, Self::Integer | Self::BigInteger | Self::Text | Self::Date)
    }
}

fn number(values: &[&Value]) -> ColumnType {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    if texts.iter().all(|text| text.parse::<i32>().is_ok()) {
        return ColumnType::Integer;
    }
    if texts.iter().all(|text| text.parse::<i64>().is_ok()) {
        return ColumnType::BigInteger;
    }
    let is_plain = |text: &String| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let rest = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
        rest && digits <= DIGITS
    };
    if texts.iter().all(is_plain) { ColumnType::Numeric } else { ColumnType::Json }
}

/// Dates and timestamps are texts, unless they are written as they are read back.
fn text(texts: &[&str]) -> ColumnType {
    let types = [
        (ColumnType::Date, Type::Date),
        (ColumnType::Timestamp, Type::Timestamp),
        (ColumnType::TimestampTz, Type::TimestampTz),
    ];
    let keeps = |(_, ty): &(ColumnType, Type)| {
        // Not infinities, nor years that SQLite's dates do not have.
        let is_plain = |text: &str| text.starts_with(|char: char| char.is_ascii_digit());
        let is_same = |text: &&str| {
            is_plain(text) && temporal::canonical(ty, text).is_ok_and(|same| same == *text)
        };
        texts.iter().all(is_same)
    };
    types.into_iter().find(keeps).map_or(ColumnType::Text, |(found, _)| found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_by_values() {
        for (values, expected) in [
            (json!([1, -2]), Some(ColumnType::Integer)),
            (json!([1, 9_007_199_254_740_993_i64]), Some(ColumnType::BigInteger)),
            (json!([1, 2.5]), Some(ColumnType::Numeric)),
            (json!([1.5e300, 1]), Some(ColumnType::Json)),
            (json!([true, false]), Some(ColumnType::Boolean)),
            (json!(["a", ""]), Some(ColumnType::Text)),
            (json!(["2022-03-20"]), Some(ColumnType::Date)),
            (json!(["2022-03-20", "soon"]), Some(ColumnType::Text)),
            (json!(["2022-03-20T00:00:00"]), Some(ColumnType::Timestamp)),
            (json!(["2022-03-20T00:00:00Z"]), Some(ColumnType::TimestampTz)),
            (json!(["2022-03-20T00:00:00.000+00:00"]), Some(ColumnType::Text)),
            (json!([1, "a"]), None),
            (json!([true, 1]), None),
        ] {
            let values = values.as_array().unwrap();
            let values: Vec<&Value> = values.iter().collect();
            assert_eq!(ColumnType::of(&values), expected, "{values:?}");
        }
        let exact: Value = serde_json::from_str("0.1234567890123456789").unwrap();
        assert_eq!(ColumnType::of(&[&exact]), Some(ColumnType::Json));
    }
}
