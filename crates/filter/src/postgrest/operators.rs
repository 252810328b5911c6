//! The operators: name, meaning, and which stores take them. Parser, refusals and the manual read this list.

use duet_model::{Compare, NativeTest, WordForm};

/// Which stores take an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// SQLite and PostgreSQL.
    Both,
    /// PostgreSQL, for columns of some types.
    Native(&'static str),
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
    Native(NativeOperator),
}

/// An operator of PostgreSQL alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NativeOperator {
    Contains,
    ContainedBy,
    Overlaps,
    LeftOf,
    RightOf,
    NotLeftOf,
    NotRightOf,
    Adjacent,
    AnyCaseRegex,
    Words(WordForm),
}

impl NativeOperator {
    /// The test, with the configuration of a search for words.
    pub(crate) fn test(self, configuration: Option<&str>) -> NativeTest {
        match self {
            Self::Contains => NativeTest::Contains,
            Self::ContainedBy => NativeTest::ContainedBy,
            Self::Overlaps => NativeTest::Overlaps,
            Self::LeftOf => NativeTest::LeftOf,
            Self::RightOf => NativeTest::RightOf,
            Self::NotLeftOf => NativeTest::NotLeftOf,
            Self::NotRightOf => NativeTest::NotRightOf,
            Self::Adjacent => NativeTest::Adjacent,
            Self::AnyCaseRegex => NativeTest::AnyCaseRegex,
            Self::Words(form) => NativeTest::Words(form, configuration.map(str::to_owned)),
        }
    }

    /// Whether columns of a kind have it.
    pub(crate) fn takes(self, kind: NativeKind) -> bool {
        use NativeKind::{Array, Json, Jsonb, Range, Text, Words};
        match self {
            Self::Contains | Self::ContainedBy => matches!(kind, Array | Jsonb | Range),
            Self::Overlaps => matches!(kind, Array | Range),
            Self::AnyCaseRegex => kind == Text,
            Self::Words(_) => matches!(kind, Text | Words | Json | Jsonb),
            _ => kind == Range,
        }
    }
}

/// What a column is to the operators of PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeKind {
    /// An array.
    Array,
    /// `json`.
    Json,
    /// `jsonb`.
    Jsonb,
    /// A range or multirange.
    Range,
    /// A text.
    Text,
    /// `tsvector`.
    Words,
    /// Anything else.
    Other,
}

impl OperatorRow {
    const fn new(name: &'static str, sql: &'static str, kind: OperatorKind) -> Self {
        Self { name, sql, stores: Stores::Both, quantified: false, kind }
    }

    const fn quantified(self) -> Self {
        Self { quantified: true, ..self }
    }

    const fn native(
        name: &'static str,
        sql: &'static str,
        operator: NativeOperator,
        columns: &'static str,
    ) -> Self {
        let (kind, stores) = (OperatorKind::Native(operator), Stores::Native(columns));
        Self { name, sql, stores, quantified: false, kind }
    }

    /// The operator of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATORS.iter().find(|row| row.name == name)
    }
}

/// Whether the value of a parameter begins like a condition: `eq.1`, `fts(english).a`, `not.in.(1)`.
pub fn is_condition(value: &str) -> bool {
    let (first, rest) = value.split_once('.').map_or((value, None), |(one, two)| (one, Some(two)));
    let name = first.split('(').next().unwrap_or(first);
    OperatorRow::named(name).is_some() || (name == "not" && rest.is_some())
}

use NativeOperator as Native;
use OperatorKind as Kind;

/// All operators of PostgREST.
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
    OperatorRow::native("imatch", "~*", Native::AnyCaseRegex, TEXTS).quantified(),
    OperatorRow::native("cs", "@>", Native::Contains, CONTAINERS),
    OperatorRow::native("cd", "<@", Native::ContainedBy, CONTAINERS),
    OperatorRow::native("ov", "&&", Native::Overlaps, "arrays and ranges"),
    OperatorRow::native("sl", "<<", Native::LeftOf, RANGES),
    OperatorRow::native("sr", ">>", Native::RightOf, RANGES),
    OperatorRow::native("nxl", "&>", Native::NotLeftOf, RANGES),
    OperatorRow::native("nxr", "&<", Native::NotRightOf, RANGES),
    OperatorRow::native("adj", "-|-", Native::Adjacent, RANGES),
    OperatorRow::native("fts", "@@ to_tsquery", Native::Words(WordForm::Query), WORDS),
    OperatorRow::native("plfts", "@@ plainto_tsquery", Native::Words(WordForm::Plain), WORDS),
    OperatorRow::native("phfts", "@@ phraseto_tsquery", Native::Words(WordForm::Phrase), WORDS),
    OperatorRow::native("wfts", "@@ websearch_to_tsquery", Native::Words(WordForm::Web), WORDS),
];

const TEXTS: &str = "texts";
const CONTAINERS: &str = "arrays, `jsonb` and ranges";
const RANGES: &str = "ranges";
const WORDS: &str = "texts, `tsvector` and JSON";
