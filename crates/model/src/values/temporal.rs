//! Values of the temporal types: the canonical form of each, and its order. The forms themselves are in
//! [`moment`].

use duet_text::time::moment;

use super::types::Type;

/// The canonical form of a value of a temporal type.
///
/// # Errors
/// What was expected, as in "must be …".
pub fn canonical(ty: &Type, text: &str) -> Result<String, &'static str> {
    match ty {
        Type::Date => moment::date_form(text),
        Type::Time => moment::time_form(text),
        Type::TimeTz => moment::offset_time_form(text),
        Type::TimestampTz => moment::timestamp_form(text, "Z"),
        _ => moment::timestamp_form(text, ""),
    }
}

/// A key that orders values of a temporal type as databases do: timestamps by moment in UTC, times with offset by UTC
/// time and then by offset, east first.
pub fn sort_key(ty: &Type, text: &str) -> Option<(i64, i64)> {
    match ty {
        Type::Time => moment::time_key(text),
        Type::TimeTz => moment::offset_time_key(text),
        _ => moment::moment_key(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parses_to_canonical_forms() {
        for (ty, text, expected) in [
            (Type::Date, "2022-03-20", "2022-03-20"),
            (Type::Date, "2022-03-20T00:00:00Z", "2022-03-20"),
            (Type::Date, "2022-03-20T02:00:00+02:00", "2022-03-20"),
            (Type::Time, "01:37", "01:37:00"),
            (Type::Time, "01:37:33.58400", "01:37:33.584"),
            (Type::TimeTz, "01:37:33-03:30", "01:37:33-03:30"),
            (Type::TimeTz, "01:37:33Z", "01:37:33Z"),
            (Type::TimeTz, "24:00+00:19:32", "24:00:00+00:19:32"),
            (Type::Date, "20220320", "2022-03-20"),
            (Type::Date, "2022-W11-7", "2022-03-20"),
            (Type::Date, "Infinity", "infinity"),
            (Type::Date, "0000-01-01", "0001-01-01 BC"),
            (Type::Date, "-000043-03-15", "0044-03-15 BC"),
            (Type::Date, "+5874897-12-31", "5874897-12-31"),
            (Type::Time, "24:00", "24:00:00"),
            (Type::Timestamp, "-infinity", "-infinity"),
            (Type::Timestamp, "20220320T013733,5", "2022-03-20T01:37:33.5"),
            (Type::TimestampTz, "2022-03-20T24:00:00+0100", "2022-03-20T23:00:00Z"),
            (Type::TimestampTz, "+294276-12-31T23:59:59.999999Z", "294276-12-31T23:59:59.999999Z"),
            (Type::TimestampTz, "9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"),
            (Type::TimestampTz, "0001-01-01T00:00:00+01:00", "0001-12-31T23:00:00Z BC"),
            (Type::TimestampTz, "0044-03-15 12:00:00+00 BC", "0044-03-15T12:00:00Z BC"),
            (Type::Timestamp, "2022-03-20", "2022-03-20T00:00:00"),
            (Type::Timestamp, "2022-03-20 01:02:03.100", "2022-03-20T01:02:03.1"),
            (Type::Timestamp, "2022-03-20T00:30:00+01:00", "2022-03-19T23:30:00"),
            (Type::TimestampTz, "2024-02-28t23:00:00-01:00", "2024-02-29T00:00:00Z"),
            (Type::TimestampTz, "2022-03-20T00:00:00", "2022-03-20T00:00:00Z"),
            (Type::TimestampTz, "2022-03-20T00:00:00.000001000z", "2022-03-20T00:00:00.000001Z"),
            (Type::TimestampTz, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            (Type::TimestampTz, "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(canonical(&ty, text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_invalid_values() {
        for (ty, text) in [
            (Type::Date, "2022-03-20T12:00:00Z"),
            (Type::Date, "2023-02-29"),
            (Type::Date, "2022-13-01"),
            (Type::Date, "2022-00-01"),
            (Type::Date, "2022-3-1"),
            (Type::Date, "+022-01-01"),
            (Type::Date, "+5874898-01-01"),
            (Type::Date, "-004714-01-01"),
            (Type::Date, "2022-03-20garbage"),
            (Type::Date, "inf"),
            (Type::Time, "24:00:00.1"),
            (Type::Timestamp, "+294277-01-01T00:00:00"),
            (Type::Date, "é022-01-01"),
            (Type::Time, "01:37:33Z"),
            (Type::TimeTz, "01:37:33"),
            (Type::Timestamp, "2022-03-20T00:00:00.1234567"),
            (Type::Timestamp, "2022-03-20T00:00:00."),
            (Type::Timestamp, "2022-03-20T00:00:00+99:00"),
            (Type::Timestamp, "2022-03-20T00:00:60"),
            (Type::TimestampTz, "2022-03-20T"),
        ] {
            assert!(canonical(&ty, text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn canonicalization_is_idempotent(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?(Z|[+-][01][0-9]:[0-5][0-9])?") {
            for ty in [Type::Timestamp, Type::TimestampTz] {
                if let Ok(once) = canonical(&ty, &text) {
                    prop_assert_eq!(canonical(&ty, &once), Ok(once.clone()));
                    prop_assert_eq!(sort_key(&ty, &once), sort_key(&ty, &text));
                    prop_assert!(crate::plans::key::parse_text(&ty, &once).is_ok());
                }
            }
        }
    }
}
