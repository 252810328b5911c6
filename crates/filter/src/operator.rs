//! The operators by name.

use duet_model::name::nearest;
use duet_model::{Code, Compare, Error};

use duet_model::problem::{did_you_mean, fault, quoted};

/// An operator of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// Joins or denies conditions.
    Logic(Logic),
    /// Tests a field.
    Test(Test),
    /// `$orderby`, at the top only.
    OrderBy,
    /// `$date`, an operand and not a condition.
    Date,
    /// Known and deliberately not offered; the text says what to do instead.
    Unsupported(&'static str),
}

/// A logical operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Nor,
    Not,
}

/// A test of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Compare(Compare),
    Like { ignore_case: bool },
    StartsWith,
    Contains,
    ContainsNot,
    HasElement,
    Regex,
    Text,
    Overlaps,
    Between,
    In,
    NotIn,
    Null,
    NotNull,
    Exists,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("$eq", Operator::Test(Test::Compare(Compare::Eq))),
    ("$ne", Operator::Test(Test::Compare(Compare::Ne))),
    ("$lt", Operator::Test(Test::Compare(Compare::Lt))),
    ("$lte", Operator::Test(Test::Compare(Compare::Lte))),
    ("$gt", Operator::Test(Test::Compare(Compare::Gt))),
    ("$gte", Operator::Test(Test::Compare(Compare::Gte))),
    ("$like", Operator::Test(Test::Like { ignore_case: false })),
    ("$ilike", Operator::Test(Test::Like { ignore_case: true })),
    ("$startsWith", Operator::Test(Test::StartsWith)),
    ("$hasSubstring", Operator::Test(Test::Contains)),
    ("$instr", Operator::Test(Test::Contains)),
    ("$ninstr", Operator::Test(Test::ContainsNot)),
    ("$contains", Operator::Test(Test::HasElement)),
    ("$regex", Operator::Test(Test::Regex)),
    ("$text", Operator::Test(Test::Text)),
    ("$overlaps", Operator::Test(Test::Overlaps)),
    ("$between", Operator::Test(Test::Between)),
    ("$in", Operator::Test(Test::In)),
    ("$nin", Operator::Test(Test::NotIn)),
    ("$null", Operator::Test(Test::Null)),
    ("$notnull", Operator::Test(Test::NotNull)),
    ("$exists", Operator::Test(Test::Exists)),
    ("$and", Operator::Logic(Logic::And)),
    ("$or", Operator::Logic(Logic::Or)),
    ("$nor", Operator::Logic(Logic::Nor)),
    ("$not", Operator::Logic(Logic::Not)),
    ("$orderby", Operator::OrderBy),
    ("$date", Operator::Date),
    ("$asof", Operator::Unsupported("Reads are of the present; leave `$asof` out.")),
    ("$all", Operator::Unsupported("Use `$and` with one `$eq` for each value.")),
];

impl Operator {
    /// The operator of exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, operator)| *operator)
    }
}

/// The error for a name with `$` that is no operator.
pub(crate) fn unknown(name: &str, at: usize) -> Error {
    let message = format!("There is no operator {}.", quoted(name));
    let names = || OPERATORS.iter().map(|(name, _)| *name);
    let hint = nearest(name, names()).map_or_else(
        || {
            let offered: Vec<_> = OPERATORS
                .iter()
                .filter(|(_, operator)| !matches!(operator, Operator::Unsupported(_)))
                .map(|(name, _)| *name)
                .collect();
            format!("The operators are {}.", offered.join(" "))
        },
        did_you_mean,
    );
    fault(Code::FilterOperator, at, message).hint(hint)
}

/// The error for an operator that is known and not offered.
pub(crate) fn unsupported(name: &str, at: usize, instead: &'static str) -> Error {
    let message = format!("The operator {} is not supported.", quoted(name));
    fault(Code::FilterUnsupported, at, message).hint(instead)
}
