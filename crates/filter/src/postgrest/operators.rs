//! The operators: name, meaning, and which stores take them. Parser, refusals and the manual read this list.

use duet_model::Compare;
use duet_model::range::RangeRelation;

/// Which stores take an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// SQLite and PostgreSQL.
    Both,
    /// PostgreSQL, for columns of ranges.
    Ranges,
    /// Neither: it is refused by name.
    Neither,
}

/// An operator of filters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatorRow {
    /// Its name in a filter.
    pub name: &'static str,
    /// PostgreSQL's operator.
    pub sql: &'static str,
    /// Which stores take it.
    pub stores: Stores,
    /// Whether it takes `(any)` and `(all)`.
    pub quantified: bool,
    pub(crate) kind: OperatorKind,
}

/// What an operator does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OperatorKind {
    Compare(Compare),
    Like { ignore_case: bool },
    Match,
    In,
    Is,
    Distinct,
    Range(RangeRelation),
    Refused,
}

impl OperatorRow {
    const fn new(name: &'static str, sql: &'static str, kind: OperatorKind) -> Self {
        Self { name, sql, stores: Stores::Both, quantified: false, kind }
    }

    const fn quantified(self) -> Self {
        Self { quantified: true, ..self }
    }

    const fn of_ranges(self) -> Self {
        Self { stores: Stores::Ranges, ..self }
    }

    const fn refused(name: &'static str, sql: &'static str) -> Self {
        let kind = OperatorKind::Refused;
        Self { name, sql, stores: Stores::Neither, quantified: false, kind }
    }

    /// The operator of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATORS.iter().find(|row| row.name == name)
    }
}

use OperatorKind as Kind;

/// All operators of PostgREST, those that are refused included.
pub static OPERATORS: &[OperatorRow] = &[
    OperatorRow::new("eq", "=", Kind::Compare(Compare::Eq)).quantified(),
    OperatorRow::new("neq", "<>", Kind::Compare(Compare::Ne)),
    OperatorRow::new("gt", ">", Kind::Compare(Compare::Gt)).quantified(),
    OperatorRow::new("gte", ">=", Kind::Compare(Compare::Gte)).quantified(),
    OperatorRow::new("lt", "<", Kind::Compare(Compare::Lt)).quantified(),
    OperatorRow::new("lte", "<=", Kind::Compare(Compare::Lte)).quantified(),
    OperatorRow::new("like", "LIKE", Kind::Like { ignore_case: false }).quantified(),
    OperatorRow::new("ilike", "ILIKE", Kind::Like { ignore_case: true }).quantified(),
    OperatorRow::new("match", "~", Kind::Match).quantified(),
    OperatorRow::new("in", "IN", Kind::In),
    OperatorRow::new("is", "IS", Kind::Is),
    OperatorRow::new("isdistinct", "IS DISTINCT FROM", Kind::Distinct),
    OperatorRow::new("cs", "@>", Kind::Range(RangeRelation::Encloses)).of_ranges(),
    OperatorRow::new("cd", "<@", Kind::Range(RangeRelation::Within)).of_ranges(),
    OperatorRow::new("ov", "&&", Kind::Range(RangeRelation::Overlaps)).of_ranges(),
    OperatorRow::refused("imatch", "~*"),
    OperatorRow::refused("sl", "<<"),
    OperatorRow::refused("sr", ">>"),
    OperatorRow::refused("nxl", "&>"),
    OperatorRow::refused("nxr", "&<"),
    OperatorRow::refused("adj", "-|-"),
    OperatorRow::refused("fts", "@@ to_tsquery"),
    OperatorRow::refused("plfts", "@@ plainto_tsquery"),
    OperatorRow::refused("phfts", "@@ phraseto_tsquery"),
    OperatorRow::refused("wfts", "@@ websearch_to_tsquery"),
];
