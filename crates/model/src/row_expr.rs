//! Expressions over the columns of one table: the row filters and generated fields of view
//! definitions.
//!
//! They are parsed from the definition, checked against the table, and printed again by the SQL
//! writer; a definition's text never reaches SQL as it is.

use crate::value::Value;

/// A binary operator of a row expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Lte,
    /// `>`
    Gt,
    /// `>=`
    Gte,
    /// `AND`
    And,
    /// `OR`
    Or,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `||`
    Concat,
}

/// An expression over one row of one table.
#[derive(Clone, Debug, PartialEq)]
pub enum RowExpr {
    /// A column of the table, by position.
    Column(usize),
    /// A literal.
    Literal(Value),
    /// Two operands and an operator.
    Binary(BinaryOp, Box<RowExpr>, Box<RowExpr>),
    /// `NOT x`
    Not(Box<RowExpr>),
    /// `-x`
    Negate(Box<RowExpr>),
    /// `x IS NULL`; with `negated`, `x IS NOT NULL`.
    IsNull {
        /// The operand.
        operand: Box<RowExpr>,
        /// `IS NOT NULL`
        negated: bool,
    },
    /// `x IN (…)`; with `negated`, `x NOT IN (…)`.
    In {
        /// The operand.
        operand: Box<RowExpr>,
        /// The list.
        list: Vec<RowExpr>,
        /// `NOT IN`
        negated: bool,
    },
    /// `x BETWEEN low AND high`.
    Between {
        /// The operand.
        operand: Box<RowExpr>,
        /// Lower end, inclusive.
        low: Box<RowExpr>,
        /// Upper end, inclusive.
        high: Box<RowExpr>,
        /// `NOT BETWEEN`
        negated: bool,
    },
    /// `x LIKE pattern`, case-sensitive, `\` escapes.
    Like {
        /// The operand.
        operand: Box<RowExpr>,
        /// The pattern.
        pattern: Box<RowExpr>,
        /// `NOT LIKE`
        negated: bool,
    },
    /// One of the functions both stores have: `lower`, `upper`, `length`, `trim`, `coalesce`,
    /// `abs`, `round`, `nullif`, `replace`, `substr`.
    Function(&'static str, Vec<RowExpr>),
    /// `CASE WHEN … THEN … ELSE … END`.
    Case {
        /// Conditions with their results.
        branches: Vec<(RowExpr, RowExpr)>,
        /// The result when none holds.
        otherwise: Option<Box<RowExpr>>,
    },
}
