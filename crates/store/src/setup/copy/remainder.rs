//! What a copy does not take: one list, which the refusal, `--leave-out` and the manual's table come from.

use std::fmt;

/// Something that stays behind, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remainder {
    /// What it is.
    pub kind: RemainderKind,
    /// Where, such as `driver.points`.
    pub place: String,
    /// How it is written there, and why it is not taken.
    pub why: String,
}

impl fmt::Display for Remainder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.kind.name(), self.place, self.why)
    }
}

/// A kind of what is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemainderKind {
    /// Columns that may have values of any type.
    Types,
    /// Texts that are equal although their bytes differ.
    Collations,
    /// Columns that are computed from others.
    Computed,
    /// Values of rows that give none.
    Defaults,
    /// Conditions of rows.
    Checks,
    /// Indexes of expressions, or of the rows that have a condition.
    Indexes,
    /// Foreign keys that lead to no key.
    References,
    /// What a broken rule does other than refuse the statement.
    Conflicts,
    /// Triggers.
    Triggers,
    /// Views.
    Views,
    /// Tables that a module keeps.
    VirtualTables,
    /// Names that are too long.
    Names,
}

/// A row of the list.
#[derive(Clone, Copy, Debug)]
pub struct RemainderRow {
    /// The kind.
    pub kind: RemainderKind,
    /// Its name for `--leave-out`.
    pub name: &'static str,
    /// What of it is not taken.
    pub what: &'static str,
    /// What is different without it; `None` where it cannot be left out.
    pub without: Option<&'static str>,
}

/// All kinds.
pub const REMAINDERS: [RemainderRow; 12] = [
    RemainderRow {
        kind: RemainderKind::Types,
        name: "types",
        what: "columns without a type, or of the type `ANY`",
        without: None,
    },
    RemainderRow {
        kind: RemainderKind::Names,
        name: "names",
        what: "names of more than 63 bytes",
        without: None,
    },
    RemainderRow {
        kind: RemainderKind::Collations,
        name: "collations",
        what: "columns whose collation is not `BINARY`",
        without: Some("texts are compared and ordered by their bytes"),
    },
    RemainderRow {
        kind: RemainderKind::Computed,
        name: "computed",
        what: "generated columns",
        without: Some("the table has no such column"),
    },
    RemainderRow {
        kind: RemainderKind::Defaults,
        name: "defaults",
        what: "defaults other than literals and the present date and time",
        without: Some("the column has no default"),
    },
    RemainderRow {
        kind: RemainderKind::Checks,
        name: "checks",
        what: "conditions with more than comparisons of numbers, texts and dates",
        without: Some("the condition is not checked"),
    },
    RemainderRow {
        kind: RemainderKind::Indexes,
        name: "indexes",
        what: "indexes of expressions, with a collation, or with such a condition",
        without: Some("there is no such index, nor what it keeps unique"),
    },
    RemainderRow {
        kind: RemainderKind::References,
        name: "references",
        what: "foreign keys to what is no primary or unique key of a table",
        without: Some("the reference is not checked"),
    },
    RemainderRow {
        kind: RemainderKind::Conflicts,
        name: "conflicts",
        what: "`ON CONFLICT` other than `ABORT`",
        without: Some("the statement is refused"),
    },
    RemainderRow {
        kind: RemainderKind::Triggers,
        name: "triggers",
        what: "triggers",
        without: Some("nothing is done in their place"),
    },
    RemainderRow {
        kind: RemainderKind::Views,
        name: "views",
        what: "views",
        without: Some("there is no such view"),
    },
    RemainderRow {
        kind: RemainderKind::VirtualTables,
        name: "virtual-tables",
        what: "virtual tables, such as those of FTS5",
        without: Some("there is no such table, nor its rows"),
    },
];

impl RemainderKind {
    /// Its row of the list.
    pub fn row(self) -> &'static RemainderRow {
        // A test finds each kind.
        REMAINDERS.iter().find(|row| row.kind == self).unwrap_or(&REMAINDERS[0])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Those that can be left out.
    pub fn left_out() -> impl Iterator<Item = &'static RemainderRow> {
        REMAINDERS.iter().filter(|row| row.without.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_row() {
        for (at, row) in REMAINDERS.iter().enumerate() {
            assert_eq!((row.kind.name(), row.kind.row().what), (row.name, row.what), "{at}");
        }
        let last = RemainderKind::Names as usize;
        assert_eq!(last + 1, REMAINDERS.len());
    }
}
