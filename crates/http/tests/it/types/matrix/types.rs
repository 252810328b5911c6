//! A type as a row of the matrix.

use duet_model::Type;

/// What the database does with two values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Compares {
    Nothing,
    Equality,
    Order,
}

/// A type.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeRow {
    /// Its name in `pg_type`; on SQLite, the kind of its tables.
    pub name: &'static str,
    /// As a column is declared.
    pub declared: &'static str,
    /// Values: texts that the type reads, and on SQLite expressions of SQL.
    pub values: &'static [&'static str],
    pub compares: Compares,
    /// What requests may compare, where that is less.
    pub filtered: Option<Compares>,
}

impl TypeRow {
    /// As the manual names it.
    pub(super) fn shown(&self) -> String {
        match (self.name, self.declared) {
            (UNTYPED, "") => "no type".to_owned(),
            (SHOWN_AS_TEXT, _) => "no type, bytes and infinities".to_owned(),
            ("strict", declared) => format!("`{declared}` (STRICT)"),
            (_, declared) => format!("`{declared}`"),
        }
    }

    /// What filters take.
    pub(super) fn filtered(&self) -> Compares {
        self.filtered.unwrap_or(self.compares)
    }

    /// Whether it is text, which CQL compares by rules of its own.
    pub(super) fn is_text(&self) -> bool {
        let names = ["text", "varchar", "bpchar", "char", "name", "citext"];
        let is_declared = ["TEXT", "VARCHAR"].iter().any(|name| self.declared.starts_with(name));
        names.contains(&self.name) || is_declared
    }

    /// Whether it is a row with attributes.
    pub(super) fn is_composite(&self) -> bool {
        self.name == "pair"
    }

    /// Whether it is JSON, whose values inside are filtered and ordered.
    pub(super) fn is_json(&self) -> bool {
        matches!(self.name, "json" | "jsonb") || self.declared == "JSON"
    }

    /// Whether values are sent back as they are read.
    pub(super) fn is_sent(&self) -> bool {
        self.name != SHOWN_AS_TEXT
    }

    /// Whether the database has keys of the type. It orders more than filters and pages do: documents, and rows.
    pub(super) fn is_key(&self) -> bool {
        let is_ordered =
            self.compares == Compares::Order || matches!(self.name, "jsonb" | "pair" | "hstore");
        is_ordered || self.declared == "JSON"
    }

    /// Whether pages go on behind such a key: `hstore` has no `<`, and values inside JSON no marker.
    pub(super) fn has_pages(&self) -> bool {
        !self.is_json() && self.compares != Compares::Equality
    }

    /// The type of a service's parameter for such values, as its statement takes it; `None` where a value has its own.
    pub(super) fn parameter(&self) -> Option<(Type, &'static str)> {
        let declared = self.declared.trim_end_matches(|char| "(0123456789,)".contains(char));
        let parameters: [(&[&str], Type, &'static str); 11] = [
            (&["bool", "BOOLEAN"], Type::Boolean, "bool"),
            (
                &["int2", "int4", "int8", "INTEGER", "INT", "BIGINT"],
                Type::Integer { bits: 64 },
                "int8",
            ),
            (&["numeric", "NUMERIC", "DECIMAL"], Type::Decimal { scale: None }, "numeric"),
            (
                &["float4", "float8", "REAL", "DOUBLE PRECISION", "rtree"],
                Type::Float { bits: 64 },
                "float8",
            ),
            (&["date", "DATE"], Type::Date, "date"),
            (&["time", "TIME"], Type::Time, "time"),
            (&["timestamp", "TIMESTAMP"], Type::Timestamp, "timestamp"),
            (&["timestamptz", "TIMESTAMPTZ"], Type::TimestampTz, "timestamptz"),
            (&["uuid", "UUID"], Type::Uuid, "uuid"),
            (&["bytea", "BLOB"], Type::Binary, "bytea"),
            (&["json", "jsonb", "JSON"], Type::Json, "jsonb"),
        ];
        let is_untyped = matches!(self.name, UNTYPED | SHOWN_AS_TEXT | "fts5") || declared == "ANY";
        let mut found = parameters
            .into_iter()
            .filter(|(names, ..)| names.iter().any(|name| *name == self.name || *name == declared));
        let typed = || found.next().map_or((Type::Text, "text"), |(_, ty, cast)| (ty, cast));
        (!is_untyped).then(typed)
    }
}

/// The kind of tables of SQLite whose columns have no type.
pub(super) const UNTYPED: &str = "untyped";
/// The same with values that are shown as texts.
pub(super) const SHOWN_AS_TEXT: &str = "shown as text";
