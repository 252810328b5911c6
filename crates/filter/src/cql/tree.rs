//! The syntax tree of CQL, with positions, before names are resolved.

use super::sign::Sign;

/// A byte position in the query. Trees that differ in positions only are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct At(pub usize);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A word or string. A backslash in it escapes one of `*`, `?`, `^` and `\`; there is no other.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// The text.
    pub text: String,
    /// Where it begins.
    pub at: At,
}

impl Symbol {
    /// A symbol at a position.
    pub fn new(text: String, at: usize) -> Self {
        Self { text, at: At(at) }
    }
}

/// A whole query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The prefix assignments before it.
    pub prefixes: Vec<Prefix>,
    /// The conditions.
    pub scoped: ClauseChain,
    /// The order, most significant first.
    pub sort: Vec<SortKey>,
}

/// `> name = identifier`
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// The prefix; `None` for the default context set.
    pub name: Option<Symbol>,
    /// The identifier of the context set.
    pub identifier: Symbol,
    /// Where it begins.
    pub at: At,
}

/// Clauses joined from left to right, all operators with equal precedence.
#[derive(Clone, Debug, PartialEq)]
pub struct ClauseChain {
    /// The first clause.
    pub first: Clause,
    /// Each operator and the clause on its right.
    pub rest: Vec<(Boolean, Clause)>,
}

/// One condition, or a group in parentheses.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// A term, with or without an index.
    Search {
        /// The index and relation before the term.
        subject: Option<Subject>,
        /// The term; words that follow each other are joined by one space.
        term: Symbol,
    },
    /// A group. Its terms without an index have that of the group.
    Group {
        /// The index and relation before the parenthesis.
        subject: Option<Subject>,
        /// The prefix assignments in it.
        prefixes: Vec<Prefix>,
        /// What is in it.
        scoped: Box<ClauseChain>,
        /// The parenthesis.
        at: At,
    },
}

impl Clause {
    /// Where it begins.
    pub fn at(&self) -> usize {
        match self {
            Self::Search { subject: Some(subject), .. }
            | Self::Group { subject: Some(subject), .. } => subject.index.at.0,
            Self::Search { term, .. } => term.at.0,
            Self::Group { at, .. } => at.0,
        }
    }
}

/// An index and its relation to a term.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The name of the index.
    pub index: Symbol,
    /// The relation.
    pub relation: CqlRelation,
}

/// A relation with its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct CqlRelation {
    /// Which one.
    pub kind: CqlRelationKind,
    /// Its modifiers, in the order of the query.
    pub modifiers: Vec<Modifier>,
    /// Where it begins.
    pub at: At,
}

impl CqlRelation {
    /// `=`, which a term without an index has.
    pub(super) fn equal(at: At) -> Self {
        Self { kind: CqlRelationKind::Sign(Sign::Equal), modifiers: Vec::new(), at }
    }
}

/// A comparison sign, or a name in lower case.
#[derive(Clone, Debug, PartialEq)]
pub enum CqlRelationKind {
    /// A sign.
    Sign(Sign),
    /// `adj`, `all`, `any`, `within`, `encloses`, or a name with a dot.
    Named(String),
}

/// An operator between clauses, with its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Boolean {
    /// Which one.
    pub kind: BooleanKind,
    /// Its modifiers, in the order of the query.
    pub modifiers: Vec<Modifier>,
    /// Where it begins.
    pub at: At,
}

/// An operator between clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooleanKind {
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// The left one holds and the right one does not.
    Not,
    /// Both hold near each other.
    Prox,
}

/// `/name` or `/name=value`
#[derive(Clone, Debug, PartialEq)]
pub struct Modifier {
    /// The name, in lower case.
    pub name: String,
    /// The comparison and the value.
    pub value: Option<(Sign, Symbol)>,
    /// Where its name begins.
    pub at: At,
}

/// A term of the order.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// The name of the index.
    pub index: Symbol,
    /// Its modifiers.
    pub modifiers: Vec<Modifier>,
}

/// The operators by name.
pub(super) const BOOLEANS: [(&str, BooleanKind); 4] = [
    ("and", BooleanKind::And),
    ("or", BooleanKind::Or),
    ("not", BooleanKind::Not),
    ("prox", BooleanKind::Prox),
];

/// The word before the order.
pub(super) const SORT_BY: &str = "sortby";

/// The relations that are words without a dot, in their normalized form.
pub(super) const NAMED_RELATIONS: [(&str, RelationName); 7] = [
    ("adj", RelationName::Kept),
    ("all", RelationName::Kept),
    ("any", RelationName::Kept),
    ("within", RelationName::Kept),
    ("encloses", RelationName::Kept),
    // Names of CQL 1.1.
    ("exact", RelationName::Same(Sign::Exact)),
    ("scr", RelationName::Same(Sign::Equal)),
];

/// What a named relation is normalized to.
#[derive(Clone, Copy, Debug)]
pub(super) enum RelationName {
    Kept,
    Same(Sign),
}
