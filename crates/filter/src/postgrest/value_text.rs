//! Texts of values as PostgreSQL reads them for the type of a column, where Duet's own forms are read otherwise or not
//! at all. `'2024-01-01T10:00:00+05:00'::timestamp` is 10:00, for example: its offset is passed over.

use std::borrow::Cow;

use duet_model::Type;

/// The text of a value as Duet reads the same value; another one as it is.
///
/// ```
/// use duet_filter::postgrest::as_read;
/// use duet_model::Type;
///
/// assert_eq!(as_read(&Type::Timestamp, "2024-01-01T10:00:00+05:00"), "2024-01-01T10:00:00");
/// assert_eq!(as_read(&Type::Boolean, "Yes"), "true");
/// ```
pub fn as_read<'v>(ty: &Type, text: &'v str) -> Cow<'v, str> {
    match ty {
        Type::Boolean => boolean(text).map_or(Cow::Borrowed(text), Cow::Borrowed),
        Type::Decimal { .. } | Type::Float { .. } => {
            special(text).map_or(Cow::Borrowed(text), Cow::Borrowed)
        }
        Type::Timestamp => of_date(text, |rest| &rest[..offset(rest)]),
        Type::Date => of_date(text, |_| ""),
        Type::Time if text.find(':').is_some_and(|at| at <= 2) => {
            Cow::Borrowed(text[..offset(text)].trim_end())
        }
        _ => Cow::Borrowed(text),
    }
}

/// Words for booleans, and the beginnings of them.
fn boolean(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let begins = |word: &str| !lower.is_empty() && word.starts_with(lower.as_str());
    match lower.as_str() {
        "1" | "on" => Some("true"),
        "0" | "of" | "off" => Some("false"),
        _ if begins("true") || begins("yes") => Some("true"),
        _ if begins("false") || begins("no") => Some("false"),
        _ => None,
    }
}

/// Words for numbers that have no digits.
fn special(text: &str) -> Option<&'static str> {
    Some(match text.to_ascii_lowercase().as_str() {
        "nan" => "NaN",
        "inf" | "+inf" | "infinity" | "+infinity" => "Infinity",
        "-inf" | "-infinity" => "-Infinity",
        _ => return None,
    })
}

/// A text that begins with a date, with what is kept of the time behind it. The era stays.
fn of_date<'v>(text: &'v str, kept: impl Fn(&str) -> &str) -> Cow<'v, str> {
    let (moment, era) = match text.len().checked_sub(3).and_then(|at| text.split_at_checked(at)) {
        Some((moment, era)) if era.eq_ignore_ascii_case(" BC") => (moment, era),
        _ => (text, ""),
    };
    // Behind a digit: `infinity` has no time.
    let begins = |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'T' | b't' | b' ');
    let Some(at) = moment.as_bytes().windows(2).position(begins).filter(|at| *at > 3) else {
        return Cow::Borrowed(text);
    };
    let at = at + 1;
    let (date, rest) = moment.split_at(at);
    Cow::Owned(format!("{date}{}{era}", kept(rest).trim_end()))
}

/// Where the offset of a time begins, or the text ends.
fn offset(time: &str) -> usize {
    time.find(['+', '-', 'Z', 'z']).unwrap_or(time.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_the_database_reads_them() {
        let float = Type::Float { bits: 64 };
        for (ty, text, expected) in [
            (&Type::Timestamp, "2024-01-01T10:00:00.5+05:00", "2024-01-01T10:00:00.5"),
            (&Type::Timestamp, "2024-01-01 10:00:00 -03", "2024-01-01 10:00:00"),
            (&Type::Timestamp, "2024-01-01T10:00:00Z", "2024-01-01T10:00:00"),
            (&Type::Timestamp, "0044-03-15 10:00:00+01 BC", "0044-03-15 10:00:00 BC"),
            (&Type::Timestamp, "2024-01-01", "2024-01-01"),
            (&Type::Date, "infinity", "infinity"),
            (&Type::Date, "-infinity", "-infinity"),
            (&Type::Timestamp, "infinity", "infinity"),
            (&Type::TimestampTz, "2024-01-01T10:00:00+05:00", "2024-01-01T10:00:00+05:00"),
            (&Type::Date, "2022-03-19T22:00:00-02:00", "2022-03-19"),
            (&Type::Date, "2022-03-19 10:00", "2022-03-19"),
            (&Type::Date, "2022-03-19", "2022-03-19"),
            (&Type::Date, "0044-03-15 BC", "0044-03-15 BC"),
            (&Type::Time, "10:00+05", "10:00"),
            (&Type::Time, "10:00:00.5 Z", "10:00:00.5"),
            (&Type::TimeTz, "10:00+05", "10:00+05"),
            (&Type::Boolean, "TRUE", "true"),
            (&Type::Boolean, "n", "false"),
            (&Type::Boolean, "o", "o"),
            (&float, "-Inf", "-Infinity"),
            (&float, "nan", "NaN"),
            (&float, "1.5", "1.5"),
            (&Type::Text, "TRUE", "TRUE"),
        ] {
            assert_eq!(as_read(ty, text), expected, "{ty:?} {text}");
        }
    }
}
