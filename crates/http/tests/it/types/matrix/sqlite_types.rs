//! The rows of the matrix for SQLite: declared types of each affinity, tables that are STRICT, columns without a type and
//! virtual tables, with values of the storage classes that such columns keep, written in SQL.

use super::types::{Compares, SHOWN_AS_TEXT, TypeRow, UNTYPED};

const fn row(
    name: &'static str,
    declared: &'static str,
    values: &'static [&'static str],
) -> TypeRow {
    TypeRow { name, declared, values, compares: Compares::Order, filtered: None }
}

const fn affinity(declared: &'static str, values: &'static [&'static str]) -> TypeRow {
    row("affinity", declared, values)
}

const INTEGERS: &[&str] =
    &["0", "7", "-9223372036854775808", "9223372036854775807", "9007199254740993"];
const REALS: &[&str] = &["0.0", "-0.0", "0.1", "1e300", "5e-324", "9e999", "-9e999", "1.0"];
const TEXTS: &[&str] = &[
    "''", "'a'", "'A'", "'é'", "'a b'", "'~t'", "'NULL'", "'\"\\'", "''''", "'a,b'", "'%2F'",
    "'1.0'", "'007'", "'9e999'",
];
/// Numbers and texts, of which no two have the same key in a path.
const ANYTHING: &[&str] = &[
    "0",
    "-7",
    "9007199254740993",
    "1.0",
    "1.5",
    "-0.0005",
    "1e300",
    "''",
    "'a'",
    "'é'",
    "'007'",
    "'4.50'",
    "'2024'",
    "'2.5'",
    "'3.0'",
    "'a,b'",
];
/// What is shown as text.
const AS_TEXTS: &[&str] = &["x''", "x'00ff'", "9e999", "-9e999"];
const BLOBS: &[&str] = &["x''", "x'00'", "x'00ff'", "x'ffffffff'"];

/// The types that columns have.
pub(super) const TYPES: &[TypeRow] = &[
    affinity("INTEGER", INTEGERS),
    affinity("INT", INTEGERS),
    affinity("BIGINT", INTEGERS),
    affinity("BOOLEAN", &["0", "1"]),
    affinity("REAL", REALS),
    affinity("DOUBLE PRECISION", REALS),
    affinity(
        "NUMERIC",
        &["0", "1.5", "-12345678901234.5", "9007199254740993", "9e999", "-9e999", "1e300"],
    ),
    affinity("DECIMAL(10,2)", &["0", "1.5", "-99999999.99", "7"]),
    affinity("TEXT", TEXTS),
    affinity("VARCHAR(5)", TEXTS),
    affinity("TEXT COLLATE NOCASE", &["''", "'a'", "'B'", "'c'"]),
    TypeRow { filtered: Some(Compares::Nothing), ..affinity("BLOB", BLOBS) },
    affinity(
        "DATE",
        &["'2022-03-20'", "'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31'"],
    ),
    affinity("TIME", &["'00:00:00'", "'24:00:00'", "'23:59:59.999999'", "'01:37:33.5'"]),
    affinity(
        "TIMESTAMP",
        &["'2022-03-20T01:02:03'", "'0001-01-01T00:00:00'", "'9999-12-31T23:59:59.999999'"],
    ),
    affinity(
        "TIMESTAMPTZ",
        &["'2022-03-20T01:02:03Z'", "'0001-01-01T00:00:00Z'", "'9999-12-31T23:59:59.999999Z'"],
    ),
    affinity(
        "UUID",
        &["'00000000-0000-0000-0000-000000000000'", "'6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab'"],
    ),
    affinity("JSON", &["'{\"a\":1}'", "'[1,2.50]'", "'{}'"]),
    row("strict", "INTEGER", INTEGERS),
    row("strict", "REAL", REALS),
    row("strict", "TEXT", TEXTS),
    TypeRow { filtered: Some(Compares::Nothing), ..row("strict", "BLOB", BLOBS) },
    row("strict", "ANY", ANYTHING),
    row(UNTYPED, "", ANYTHING),
    row(UNTYPED, "ANY", ANYTHING),
    row(SHOWN_AS_TEXT, "", AS_TEXTS),
    row("fts5", "fts5", ANYTHING),
    row("rtree", "rtree", &["0.0", "0.5", "-1.5", "16777216.0"]),
];
