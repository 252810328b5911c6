//! What a declared type means.
//!
//! SQLite keeps the declared type as text and lets any value into most columns, so the
//! declaration alone decides the JSON type; a value that does not fit travels as it is stored.

use duet_model::Type;

/// Duet's type for a declared type, whatever its case and spacing.
///
/// | declared | type |
/// |---|---|
/// | `BOOL`, `BOOLEAN` | boolean |
/// | `DECIMAL(p,s)`, `DEC`, `NUMERIC`, `NUMBER` | decimal with `s` decimals; `(p)` means none |
/// | `DATE` | date |
/// | `TIME`, `TIME WITHOUT TIME ZONE` | time |
/// | `TIMETZ`, `TIME WITH TIME ZONE` | time with offset |
/// | `DATETIME`, `TIMESTAMP`, `TIMESTAMP WITHOUT TIME ZONE` | timestamp |
/// | `TIMESTAMPTZ`, `TIMESTAMP WITH TIME ZONE` | moment |
/// | `INTERVAL` | interval |
/// | `JSON`, `JSONB` | JSON |
/// | `UUID`, `GUID`, `UNIQUEIDENTIFIER` | UUID |
/// | `BINARY`, `VARBINARY`, `BYTEA` | binary |
/// | nothing, `ANY` | dynamic: whatever the value is |
/// | contains `INT` | integer of 64 bits |
/// | contains `CHAR`, `CLOB` or `TEXT` | text; SQLite pads nothing, so `CHAR(n)` too |
/// | contains `BLOB` | binary |
/// | contains `REAL`, `FLOA` or `DOUB` | float of 64 bits |
/// | anything else | decimal, by SQLite's numeric affinity |
///
/// The last five lines are SQLite's own affinity rules, in their order
/// (<https://www.sqlite.org/datatype3.html>, section 3.1).
pub(super) fn type_of(declared: &str) -> Type {
    let (name, arguments) = split(declared);
    match name.as_str() {
        "" | "ANY" => Type::Dynamic,
        "BOOL" | "BOOLEAN" => Type::Boolean,
        "DECIMAL" | "DEC" | "NUMERIC" | "NUMBER" => Type::Decimal { scale: scale(arguments) },
        "DATE" => Type::Date,
        "TIME" | "TIME WITHOUT TIME ZONE" => Type::Time,
        "TIMETZ" | "TIME WITH TIME ZONE" => Type::TimeTz,
        "DATETIME" | "TIMESTAMP" | "TIMESTAMP WITHOUT TIME ZONE" => Type::Timestamp,
        "TIMESTAMPTZ" | "TIMESTAMP WITH TIME ZONE" => Type::TimestampTz,
        "INTERVAL" => Type::Interval,
        "JSON" | "JSONB" => Type::Json,
        "UUID" | "GUID" | "UNIQUEIDENTIFIER" => Type::Uuid,
        "BINARY" | "VARBINARY" | "BYTEA" => Type::Binary,
        _ => by_affinity(&declared.to_uppercase()),
    }
}

fn by_affinity(declared: &str) -> Type {
    let has = |parts: &[&str]| parts.iter().any(|part| declared.contains(part));
    if has(&["INT"]) {
        Type::Integer { bits: 64 }
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        Type::Text
    } else if has(&["BLOB"]) {
        Type::Binary
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        Type::Float { bits: 64 }
    } else {
        Type::Decimal { scale: None }
    }
}

/// The name in upper case, its words one space apart, and the text in the parentheses:
/// `timestamp(3) with time zone` is `TIMESTAMP WITH TIME ZONE` and `3`.
fn split(declared: &str) -> (String, Option<&str>) {
    let (before, rest) = declared.split_once('(').unwrap_or((declared, ""));
    let (arguments, after) = rest.split_once(')').unwrap_or((rest, ""));
    let words: Vec<_> = before.split_whitespace().chain(after.split_whitespace()).collect();
    (words.join(" ").to_uppercase(), (!arguments.is_empty()).then_some(arguments))
}

/// The digits after the point of `(p,s)`; `(p)` has none.
fn scale(arguments: Option<&str>) -> Option<u8> {
    let scale = arguments?.split_once(',').map_or("0", |(_, scale)| scale);
    scale.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types() {
        let check = |names: &[&str], ty: Type| {
            names.iter().for_each(|name| assert_eq!(type_of(name), ty, "{name}"));
        };
        let numbers = ["INT", "bigint", "UNSIGNED BIG INT", "tinyint(1)", "INTEGER"];
        check(&numbers, Type::Integer { bits: 64 });
        check(&["REAL", "double precision", "FLOAT"], Type::Float { bits: 64 });
        check(&["varchar(255)", "NCHAR(5)", "NVARCHAR(160)", "clob", "CITEXT"], Type::Text);
        check(&["BOOLEAN", " bool "], Type::Boolean);
        check(&["blob", "VARBINARY(16)"], Type::Binary);
        check(&["", "any"], Type::Dynamic);
        check(&["DATETIME", "timestamp(3)"], Type::Timestamp);
        check(&["timestamp (3)  with  time zone", "timestamptz"], Type::TimestampTz);
        check(&["INTERVAL"], Type::Interval);
        check(&["uniqueidentifier"], Type::Uuid);
        check(&["Json"], Type::Json);
    }

    #[test]
    fn decimals_keep_their_scale() {
        let check = |declared: &str, scale| assert_eq!(type_of(declared), Type::Decimal { scale });
        check("DECIMAL(10, 2)", Some(2));
        check("numeric(10)", Some(0));
        check("NUMERIC", None);
        check("DECIMAL(10,", None);
        check("MONEY", None);
    }
}
