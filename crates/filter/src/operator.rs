//! The operators by name.

use std::borrow::Cow;

use duet_model::name::nearest;
use duet_model::{Code, Compare, DocumentStyle, Error, RangeRelation};

use duet_model::problem::{did_you_mean, fault, quoted};

use crate::search::{self, Search};

/// An operator: its name, its fields, and its operand.
#[derive(Debug)]
pub struct OperatorRow {
    /// The name, with its `$`.
    pub name: &'static str,
    /// The fields that it is for.
    pub fields: Fields,
    /// What it takes.
    pub takes: Takes,
    /// Further requirements for its operand.
    pub description: Option<&'static str>,
    operator: Operator,
}

/// The fields that an operator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// Those with values that compare.
    Comparable,
    /// Those of text.
    Text,
    /// Fields of a type that only the database supports, such as ranges and JSON.
    Special,
    /// All.
    Any,
    /// No field: it applies to the filter or to an operand.
    None,
}

/// What an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A value of the field's type.
    Value,
    /// The two ends of a range.
    Ends,
    /// A list of values.
    Values,
    /// `null`, or `true`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A condition.
    Condition,
    /// A list of conditions.
    Conditions,
    /// A specific operand.
    Other,
}

/// What an operator of the grammar does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operator {
    /// Joins or denies conditions.
    Logic(Logic),
    /// Tests a field.
    Test(Test),
    /// `$orderby`, at the top only.
    OrderBy,
    /// `$group` and `$having`, at the top of lists' filters only.
    Groups,
    /// `$date`, an operand and not a condition.
    Date,
    /// Known but deliberately not supported; the text says what to use instead.
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
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Compare(Compare),
    Search(Search),
    HasElement,
    Size,
    Range(RangeRelation),
    Between,
    In,
    NotIn,
    Null,
    NotNull,
    Exists,
}

impl Test {
    /// The same as documents of this form mean it.
    pub(crate) fn in_style(self, style: DocumentStyle) -> Self {
        match self {
            Self::Search(search) if style.is_ords() => Self::Search(search.as_ords()),
            other => other,
        }
    }
}

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

impl OperatorRow {
    pub(crate) const fn of(
        name: &'static str,
        operator: Operator,
        fields: Fields,
        takes: Takes,
    ) -> Self {
        Self { name, fields, takes, description: None, operator }
    }

    pub(crate) const fn test(name: &'static str, test: Test, fields: Fields, takes: Takes) -> Self {
        Self::of(name, Operator::Test(test), fields, takes)
    }

    pub(crate) const fn described(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    fn is_offered(&self) -> bool {
        !matches!(self.operator, Operator::Unsupported(_))
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
