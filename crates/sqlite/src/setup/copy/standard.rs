//! Conditions and defaults in standard SQL, as far as they mean the same to every store.

use duet_model::Type;
use duet_model::catalog::{Column, GeneratedValue};
use duet_store::catalog::unwrapped;
use duet_store::setup::copy::CopiedDefault;
use duet_store::setup::load::quoted;

use crate::catalog::ddl;

/// Words of conditions that every store reads alike. `length` is that of texts.
const WORDS: [&str; 11] =
    ["and", "or", "not", "in", "between", "is", "null", "true", "false", "length", "notnull"];

/// Signs, each with what it is in standard SQL; longer ones first.
const SIGNS: [(&[&str], &str); 14] = [
    (&["<", "="], "<="),
    (&[">", "="], ">="),
    (&["<", ">"], "<>"),
    (&["!", "="], "<>"),
    (&["=", "="], "="),
    (&["<", "<"], ""),
    (&[">", ">"], ""),
    (&["<"], "<"),
    (&[">"], ">"),
    (&["="], "="),
    (&["("], "("),
    (&[")"], ")"),
    (&[","], ","),
    (&["-"], "-"),
];

/// A condition in standard SQL; `None` where the types of the columns imply it.
///
/// # Errors
/// The part of it that is not the same to every store.
pub(super) fn condition(text: &str, columns: &[Column]) -> Result<Option<String>, String> {
    let parts = ddl::parts(text);
    if is_of_a_boolean(&parts, columns) {
        return Ok(None);
    }
    let mut out = String::new();
    let mut at = 0;
    while at < parts.len() {
        let is_behind_value = at > 0 && !is_before_value(&parts[at - 1]);
        if parts[at] == "-" && is_behind_value {
            return Err("`-`".to_owned());
        }
        let (length, written) = next(&parts[at..], columns)?;
        if !out.is_empty() && written != "," {
            out.push(' ');
        }
        out.push_str(&written);
        at += length;
    }
    Ok(Some(out))
}

/// `flag IN (0, 1)` of a column of the type BOOLEAN.
fn is_of_a_boolean(parts: &[String], columns: &[Column]) -> bool {
    let [name, rest @ ..] = parts else { return false };
    let is_boolean =
        columns.iter().any(|one| one.ty == Type::Boolean && one.name.eq_ignore_ascii_case(name));
    is_boolean
        && (rest == ["in", "(", "0", ",", "1", ")"] || rest == ["in", "(", "1", ",", "0", ")"])
}

/// The first part in standard SQL, with how many it is.
fn next(parts: &[String], columns: &[Column]) -> Result<(usize, String), String> {
    let part = parts[0].as_str();
    if part.starts_with('\'') {
        return Ok((1, part.to_owned()));
    }
    if let Some(length) = number(parts) {
        return Ok((length, parts[..length].concat()));
    }
    if WORDS.contains(&part) {
        let is_null_test = part != "is"
            || matches!(parts.get(1..), Some([one, ..]) if one == "null")
            || matches!(parts.get(1..), Some([one, two, ..]) if one == "not" && two == "null");
        let is_word =
            is_null_test && !columns.iter().any(|one| one.name.eq_ignore_ascii_case(part));
        let written = if part == "notnull" { "is not null" } else { part };
        return is_word.then(|| (1, written.to_uppercase())).ok_or_else(|| format!("`{part}`"));
    }
    if let Some(column) = columns.iter().find(|one| one.name.eq_ignore_ascii_case(part)) {
        let is_alike = column.generated != GeneratedValue::Computed
            && !column.loose_equality
            && matches!(
                column.ty,
                Type::Integer { .. }
                    | Type::Decimal { .. }
                    | Type::Float { .. }
                    | Type::Text
                    | Type::Date
            );
        let written = || quoted(&column.name);
        return is_alike
            .then(|| (1, written()))
            .ok_or_else(|| format!("values of `{}` are compared otherwise", column.name));
    }
    let sign =
        SIGNS.iter().find(|(sign, _)| parts.len() >= sign.len() && parts[..sign.len()] == **sign);
    match sign {
        Some((sign, written)) if !written.is_empty() && is_sign_of_number(sign, parts) => {
            Ok((sign.len(), (*written).to_owned()))
        }
        _ => Err(format!("`{part}`")),
    }
}

/// Whether a value may follow a part, so that a minus behind it is a sign. Differences are not alike: decimals are
/// exact in one store and not in the other.
fn is_before_value(part: &str) -> bool {
    let is_sign = matches!(part, "(" | "," | "=" | "<" | ">");
    is_sign || matches!(part, "and" | "or" | "not" | "between" | "in")
}

/// A minus is the sign of a number.
fn is_sign_of_number(sign: &[&str], parts: &[String]) -> bool {
    sign != ["-"] || number(&parts[1..]).is_some()
}

/// How many parts a number is: `1`, or `1`, `.` and `5`.
fn number(parts: &[String]) -> Option<usize> {
    let is_digits = |part: Option<&String>| {
        part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match parts {
        [_, point, ..] if point == "." && is_digits(parts.first()) && is_digits(parts.get(2)) => {
            Some(3)
        }
        _ if is_digits(parts.first()) => Some(1),
        _ => None,
    }
}

/// The default of a column in standard SQL; `None` for NULL.
///
/// # Errors
/// Where it has none.
pub(super) fn default(text: &str, ty: &Type) -> Result<Option<CopiedDefault>, ()> {
    let parts = ddl::parts(unwrapped(text));
    let words: Vec<&str> = parts.iter().map(String::as_str).collect();
    let literal = |text: String| Ok(Some(CopiedDefault::Literal(text)));
    match (&words[..], ty) {
        (["null"], _) => Ok(None),
        (["0" | "false"], Type::Boolean) => literal("FALSE".to_owned()),
        (["1" | "true"], Type::Boolean) => literal("TRUE".to_owned()),
        ([text], Type::Text | Type::Json) if text.starts_with('\'') => literal((*text).to_owned()),
        ([text], Type::Date | Type::Time | Type::Timestamp | Type::TimestampTz | Type::Uuid)
            if text.starts_with('\'')
                && text[1..].starts_with(|one: char| one.is_ascii_hexdigit()) =>
        {
            literal((*text).to_owned())
        }
        (["-", number_parts @ ..] | number_parts, _)
            if is_number_of(&parts, number_parts.len(), ty) =>
        {
            literal(if *ty == Type::Text {
                format!("'{}'", parts.concat())
            } else {
                parts.concat()
            })
        }
        _ => moment(&words, ty).map(Some).ok_or(()),
    }
}

/// Whether the last so many parts are a number, as a column of the type may have.
fn is_number_of(parts: &[String], length: usize, ty: &Type) -> bool {
    let own = &parts[parts.len() - length..];
    let is_number = number(own) == Some(length);
    let is_whole = length == 1;
    match ty {
        Type::Integer { .. } | Type::Text => is_number && is_whole,
        Type::Decimal { .. } | Type::Float { .. } => is_number,
        _ => false,
    }
}

/// Texts of the present date and time as SQLite makes them, in UTC.
fn moment(words: &[&str], ty: &Type) -> Option<CopiedDefault> {
    let found = match words {
        ["current_timestamp"] | ["datetime", "(", "'now'", ")"] => CopiedDefault::Moment,
        ["current_date"] | ["date", "(", "'now'", ")"] => CopiedDefault::Date,
        ["current_time"] | ["time", "(", "'now'", ")"] => CopiedDefault::Time,
        ["strftime", "(", format, ",", "'now'", ")"]
            if *ty != Type::Text
                && matches!(
                    *format,
                    "'%Y-%m-%dT%H:%M:%S'" | "'%Y-%m-%d %H:%M:%S'" | "'%Y-%m-%dT%H:%M:%SZ'"
                ) =>
        {
            CopiedDefault::Moment
        }
        _ => return None,
    };
    let fits = match found {
        CopiedDefault::Moment => matches!(ty, Type::Timestamp | Type::TimestampTz | Type::Text),
        CopiedDefault::Date => matches!(ty, Type::Date | Type::Text),
        CopiedDefault::Time => matches!(ty, Type::Time | Type::Text),
        CopiedDefault::Literal(_) => false,
    };
    fits.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, ty| Column::new(name, ty);
        vec![
            column("Points", Type::Integer { bits: 64 }),
            column("name", Type::Text),
            column("is_open", Type::Boolean),
            column("at", Type::Timestamp),
            Column { loose_equality: true, ..column("code", Type::Text) },
        ]
    }

    #[test]
    fn conditions_that_mean_the_same() {
        let check = |text: &str, expected: &str| {
            assert_eq!(condition(text, &columns()).unwrap().as_deref(), Some(expected), "{text}");
        };
        check("points>=0 and [POINTS] != 7", "\"Points\" >= 0 AND \"Points\" <> 7");
        check("length(name) between 1 and 20", "LENGTH ( \"name\" ) BETWEEN 1 AND 20");
        check("name in ('a', 'It''s')", "\"name\" IN ( 'a', 'It''s' )");
        check("Points == -1.5 or name is not null", "\"Points\" = - 1.5 OR \"name\" IS NOT NULL");
        assert_eq!(condition("is_open IN (0,1)", &columns()), Ok(None));
    }

    #[test]
    fn others_are_named() {
        let why = |text: &str| condition(text, &columns()).unwrap_err();
        assert_eq!(why("name GLOB 'a*'"), "`glob`");
        assert_eq!(why("name LIKE 'a%'"), "`like`");
        assert_eq!(why("points + 1 > 3"), "`+`");
        assert_eq!(why("points - 1 > 3"), "`-`");
        assert_eq!(why("points << 1"), "`<`");
        assert_eq!(why("name IS 'a'"), "`is`");
        assert_eq!(why("name = \"a\""), "`a`");
        assert_eq!(why("at > '2020'"), "values of `at` are compared otherwise");
        assert_eq!(why("code > 'a'"), "values of `code` are compared otherwise");
        assert_eq!(why("is_open = 1"), "values of `is_open` are compared otherwise");
    }

    #[test]
    fn defaults() {
        let literal = |text: &str| Ok(Some(CopiedDefault::Literal(text.to_owned())));
        let integer = Type::Integer { bits: 64 };
        assert_eq!(default("(-5)", &integer), literal("-5"));
        assert_eq!(default("1.5", &Type::Decimal { scale: None }), literal("1.5"));
        assert_eq!(default("1.5", &integer), Err(()));
        assert_eq!(default("7", &Type::Text), literal("'7'"));
        assert_eq!(default("'It''s'", &Type::Text), literal("'It''s'"));
        assert_eq!(default("\"a\"", &Type::Text), Err(()));
        assert_eq!(default("0", &Type::Boolean), literal("FALSE"));
        assert_eq!(default("NULL", &Type::Text), Ok(None));
        assert_eq!(default("'now'", &Type::Timestamp), Err(()));
        assert_eq!(default("CURRENT_TIMESTAMP", &Type::Timestamp), Ok(Some(CopiedDefault::Moment)));
        assert_eq!(default("(datetime('now'))", &Type::Text), Ok(Some(CopiedDefault::Moment)));
        assert_eq!(default("current_timestamp", &Type::Date), Err(()));
        assert_eq!(default("(random())", &integer), Err(()));
    }
}
