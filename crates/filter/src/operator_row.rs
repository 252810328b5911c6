//! What an operator is: its name, its fields, its operand, and what it does.

use duet_model::{Compare, RangeRelation};

use crate::text_search::Search;

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
    pub(crate) operator: Operator,
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

    pub(crate) fn is_offered(&self) -> bool {
        !matches!(self.operator, Operator::Unsupported(_))
    }
}
