//! The operators and functions of expressions, in forms that mean the same on every engine: PostgreSQL's meaning, with
//! whole numbers of 64 bits and texts that compare by code point.

use duet_model::Arithmetic;
use duet_text::arithmetic::NumberRules;

/// What is before, between and behind the operands of an operator in standard SQL.
pub(crate) fn standard(operator: Arithmetic) -> [&'static str; 3] {
    let between = match operator {
        Arithmetic::Add => " + ",
        Arithmetic::Subtract => " - ",
        Arithmetic::Multiply => " * ",
        Arithmetic::Divide => return ["CAST(", " AS DECIMAL(38, 10)) / NULLIF(", ", 0)"],
        Arithmetic::Concat => " || ",
    };
    ["(", between, ")"]
}

/// The same in PostgreSQL.
pub(crate) fn postgres(operator: Arithmetic, rules: NumberRules) -> [&'static str; 3] {
    match (operator, rules) {
        (Arithmetic::Add, NumberRules::Whole) => ["((", ")::int8 + (", ")::int8)"],
        (Arithmetic::Subtract, NumberRules::Whole) => ["((", ")::int8 - (", ")::int8)"],
        (Arithmetic::Multiply, NumberRules::Whole) => ["((", ")::int8 * (", ")::int8)"],
        (Arithmetic::Divide, _) => ["round((", ")::numeric / nullif((", ")::numeric, 0), 10)"],
        (Arithmetic::Concat, _) => ["(((", ")::text || (", ")::text) COLLATE \"C\")"],
        (operator, _) => standard(operator),
    }
}

/// The same in SQLite, by functions of Duet's connections.
pub(crate) fn sqlite(operator: Arithmetic, rules: NumberRules) -> [&'static str; 3] {
    let name = match (operator, rules) {
        (Arithmetic::Add, NumberRules::Whole) => "duet_add_whole(",
        (Arithmetic::Add, NumberRules::Decimal) => "duet_add_decimal(",
        (Arithmetic::Add, NumberRules::Float) => "duet_add_float(",
        (Arithmetic::Subtract, NumberRules::Whole) => "duet_subtract_whole(",
        (Arithmetic::Subtract, NumberRules::Decimal) => "duet_subtract_decimal(",
        (Arithmetic::Subtract, NumberRules::Float) => "duet_subtract_float(",
        (Arithmetic::Multiply, NumberRules::Whole) => "duet_multiply_whole(",
        (Arithmetic::Multiply, NumberRules::Decimal) => "duet_multiply_decimal(",
        (Arithmetic::Multiply, NumberRules::Float) => "duet_multiply_float(",
        (Arithmetic::Divide, _) => "duet_divide(",
        (Arithmetic::Concat, _) => return standard(operator),
    };
    [name, ", ", ")"]
}

/// What is around the arguments of a function in PostgreSQL, a piece more than there are arguments; `None` where its
/// name and a list of them mean the same everywhere. `icu` is that of [`Postgres`](crate::Postgres).
pub(crate) fn postgres_function(
    name: &str,
    arguments: usize,
    rules: NumberRules,
    icu: bool,
) -> Option<&'static [&'static str]> {
    Some(match (name, arguments) {
        ("lower", 1) if icu => &["(lower((", ")::text COLLATE \"und-x-icu\") COLLATE \"C\")"],
        ("lower", 1) => &["(lower((", ")::text) COLLATE \"C\")"],
        ("upper", 1) if icu => &["(upper((", ")::text COLLATE \"und-x-icu\") COLLATE \"C\")"],
        ("upper", 1) => &["(upper((", ")::text) COLLATE \"C\")"],
        ("length", 1) => &["length((", ")::text)"],
        ("trim", 1) => &["(btrim((", ")::text) COLLATE \"C\")"],
        ("replace", 3) => {
            &["(replace((", ")::text COLLATE \"C\", (", ")::text, (", ")::text) COLLATE \"C\")"]
        }
        ("substr", 2) => &["(substr((", ")::text, (", ")::int4) COLLATE \"C\")"],
        ("substr", 3) => &["(substr((", ")::text, (", ")::int4, (", ")::int4) COLLATE \"C\")"],
        ("abs", 1) if rules == NumberRules::Whole => &["abs((", ")::int8)"],
        ("negate", 1) if rules == NumberRules::Whole => &["(- (", ")::int8)"],
        ("round", 1) if rules == NumberRules::Decimal => &["round((", ")::numeric)"],
        ("round", 1) => &["round((", ")::float8)"],
        ("round", 2) => &["round((", ")::numeric, (", ")::int4)"],
        _ => return None,
    })
}

/// The same in SQLite.
pub(crate) fn sqlite_function(
    name: &str,
    arguments: usize,
    rules: NumberRules,
) -> Option<&'static [&'static str]> {
    Some(match (name, arguments) {
        ("lower", 1) => &["duet_lower(", ")"],
        ("upper", 1) => &["duet_upper(", ")"],
        ("length", 1) => &["duet_length(", ")"],
        ("substr", 2) => &["duet_substr(", ", ", ")"],
        ("substr", 3) => &["duet_substr(", ", ", ", ", ")"],
        ("abs", 1) => &["duet_abs(", ")"],
        ("negate", 1) => &["duet_negate(", ")"],
        ("round", 1) if rules == NumberRules::Decimal => &["duet_round(", ")"],
        ("round", 1) => &["duet_round_float(", ")"],
        ("round", 2) => &["duet_round(", ", ", ")"],
        _ => return None,
    })
}
