//! The operators by name.

use std::borrow::Cow;

use duet_model::{Code, Compare, Error};
use duet_text::name::nearest;

use duet_text::problem::{did_you_mean, fault, quoted};

use crate::operator_row::{Fields, Logic, Operator, OperatorRow, Takes, Test};
use crate::search;

/// What makes groups of the selected rows.
pub(crate) const GROUP: &str = "$group";
/// What selects groups.
pub(crate) const HAVING: &str = "$having";

static COMPARISONS: &[OperatorRow] = &[
    compare("$eq", Compare::Eq),
    compare("$ne", Compare::Ne),
    compare("$lt", Compare::Lt),
    compare("$lte", Compare::Lte),
    compare("$gt", Compare::Gt),
    compare("$gte", Compare::Gte),
];

static OTHERS: &[OperatorRow] = &[
    OperatorRow::test("$between", Test::Between, Fields::Comparable, Takes::Ends)
        .described("From and to, both inclusive; null leaves one end open."),
    OperatorRow::test("$in", Test::In, Fields::Comparable, Takes::Values),
    OperatorRow::test("$nin", Test::NotIn, Fields::Comparable, Takes::Values),
    OperatorRow::test("$null", Test::Null, Fields::Any, Takes::Null),
    OperatorRow::test("$notnull", Test::NotNull, Fields::Any, Takes::Null),
    OperatorRow::test("$exists", Test::Exists, Fields::Any, Takes::Bool),
    logic("$and", Logic::And, Takes::Conditions),
    logic("$or", Logic::Or, Takes::Conditions),
    logic("$nor", Logic::Nor, Takes::Conditions),
    logic("$not", Logic::Not, Takes::Condition),
    OperatorRow::of("$orderby", Operator::OrderBy, Fields::None, Takes::Other),
    OperatorRow::of(GROUP, Operator::Groups, Fields::None, Takes::Other),
    OperatorRow::of(HAVING, Operator::Groups, Fields::None, Takes::Other),
    OperatorRow::of("$date", Operator::Date, Fields::None, Takes::Other),
    unsupported_row("$asof", "Reads are of the present; leave `$asof` out."),
    unsupported_row("$all", "Use `$and` with one `$eq` for each value."),
];

/// The comparison of a name.
pub(crate) fn comparison(name: &str) -> Option<Compare> {
    let row = COMPARISONS.iter().find(|row| row.name == name)?;
    match row.operator {
        Operator::Test(Test::Compare(operator)) => Some(operator),
        _ => None,
    }
}

const fn compare(name: &'static str, operator: Compare) -> OperatorRow {
    OperatorRow::test(name, Test::Compare(operator), Fields::Comparable, Takes::Value)
}

const fn logic(name: &'static str, logic: Logic, takes: Takes) -> OperatorRow {
    OperatorRow::of(name, Operator::Logic(logic), Fields::Any, takes)
}

const fn unsupported_row(name: &'static str, instead: &'static str) -> OperatorRow {
    OperatorRow::of(name, Operator::Unsupported(instead), Fields::None, Takes::Other)
}

fn all() -> impl Iterator<Item = &'static OperatorRow> {
    COMPARISONS.iter().chain(search::OPERATORS).chain(OTHERS)
}

/// All operators that are offered, in the order in which errors list them.
pub fn operators() -> impl Iterator<Item = &'static OperatorRow> {
    all().filter(|row| row.is_offered())
}

impl Operator {
    /// The operator of exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        all().find(|row| row.name == name).map(|row| row.operator)
    }
}

/// The error for an unknown `$` operator.
pub(crate) fn unknown(name: &str, at: usize) -> Error {
    let message = format!("There is no operator {}.", quoted(name));
    let hint = nearest(name, all().map(|row| row.name)).map_or_else(
        || {
            let offered: Vec<_> = operators().map(|row| row.name).collect();
            format!(
                "The operators are {}. A field whose name begins with `$` has a further `$` in front.",
                offered.join(" ")
            )
        },
        did_you_mean,
    );
    fault(Code::FilterOperator, at, message).hint(hint)
}

/// The name of a field in a member that begins with `$$`: one `$` more than the name has keeps it from being an
/// operator. `None` for any other member.
pub(crate) fn field_name(member: &str) -> Option<&str> {
    member.starts_with("$$").then(|| &member[1..])
}

/// The member of `q` that names a field: its path, with a further `$` where it begins with one.
///
/// ```
/// assert_eq!(duet_filter::member_of("points"), "points");
/// assert_eq!(duet_filter::member_of("$or"), "$$or");
/// ```
pub fn member_of(path: &str) -> Cow<'_, str> {
    match path.starts_with('$') {
        true => Cow::Owned(format!("${path}")),
        false => Cow::Borrowed(path),
    }
}

/// The error for an operator that is known and not offered.
pub(crate) fn unsupported(name: &str, at: usize, instead: &'static str) -> Error {
    let message = format!("The operator {} is not supported.", quoted(name));
    fault(Code::FilterUnsupported, at, message).hint(instead)
}
