//! The types that `select` casts to: the one list from which casts are compiled, refused and written in the manual.

use duet_model::{Expr, Type};

/// A type that values are cast to.
#[derive(Clone, Debug, PartialEq)]
pub struct CastRow {
    /// Its names.
    pub names: &'static [&'static str],
    /// The function that casts to it.
    function: &'static str,
    /// What the value is then.
    ty: Type,
}

const fn row(names: &'static [&'static str], function: &'static str, ty: Type) -> CastRow {
    CastRow { names, function, ty }
}

/// All of them.
pub const CASTS: &[CastRow] = &[
    row(&["text", "varchar", "character varying"], "cast to text", Type::Text),
    row(&["smallint", "int2"], "cast to int2", Type::Integer { bits: 16 }),
    row(&["integer", "int", "int4"], "cast to int4", Type::Integer { bits: 32 }),
    row(&["bigint", "int8"], "cast to int8", Type::Integer { bits: 64 }),
    row(&["numeric", "decimal"], "cast to numeric", Type::Decimal { scale: None }),
    row(&["real", "float4"], "cast to float4", Type::Float { bits: 32 }),
    row(&["double precision", "float8", "float"], "cast to float8", Type::Float { bits: 64 }),
    row(&["boolean", "bool"], "cast to bool", Type::Boolean),
    row(&["date"], "cast to date", Type::Date),
    row(&["timestamp", "timestamp without time zone"], "cast to timestamp", Type::Timestamp),
    row(&["timestamptz", "timestamp with time zone"], "cast to timestamptz", Type::TimestampTz),
    row(&["json"], "cast to json", Type::Json),
    row(&["jsonb"], "cast to jsonb", Type::Json),
];

impl CastRow {
    /// The type of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        CASTS.iter().find(|row| row.names.contains(&&*name))
    }

    /// A value cast to it, and its type.
    pub fn cast(&self, value: Expr) -> (Expr, Type) {
        (Expr::Function(self.function, vec![value]), self.ty.clone())
    }
}
