//! Tests by operators that PostgreSQL alone has, whose operands it reads itself.

use super::compare::Compare;

/// A test of a value by an operator of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeTest {
    /// A comparison of arrays, JSON or ranges.
    Compare(Compare),
    /// The array, JSON or range contains the operand.
    Contains,
    /// It is contained in the operand.
    ContainedBy,
    /// Both have something in common.
    Overlaps,
    /// The range is left of the operand.
    LeftOf,
    /// The range is right of the operand.
    RightOf,
    /// The range does not extend to the left of the operand.
    NotLeftOf,
    /// The range does not extend to the right of the operand.
    NotRightOf,
    /// Both ranges meet.
    Adjacent,
    /// The regular expression matches in the text, in any case.
    AnyCaseRegex,
    /// The text has the words of a query, which is read in a form, by a configuration.
    Words(WordForm, Option<String>),
}

/// How a query for words is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordForm {
    /// With operators: `a & b`.
    Query,
    /// All words of a text.
    Plain,
    /// A phrase.
    Phrase,
    /// As in search engines.
    Web,
}

impl NativeTest {
    /// The operator.
    pub fn operator(&self) -> &'static str {
        match self {
            Self::Compare(Compare::Eq) => "=",
            Self::Compare(Compare::Ne) => "<>",
            Self::Compare(Compare::Gt) => ">",
            Self::Compare(Compare::Gte) => ">=",
            Self::Compare(Compare::Lt) => "<",
            Self::Compare(Compare::Lte) => "<=",
            Self::Contains => "@>",
            Self::ContainedBy => "<@",
            Self::Overlaps => "&&",
            Self::LeftOf => "<<",
            Self::RightOf => ">>",
            Self::NotLeftOf => "&>",
            Self::NotRightOf => "&<",
            Self::Adjacent => "-|-",
            Self::AnyCaseRegex => "~*",
            Self::Words(..) => "@@",
        }
    }
}

impl WordForm {
    /// The function that reads the query.
    pub fn function(self) -> &'static str {
        match self {
            Self::Query => "to_tsquery",
            Self::Plain => "plainto_tsquery",
            Self::Phrase => "phraseto_tsquery",
            Self::Web => "websearch_to_tsquery",
        }
    }
}
