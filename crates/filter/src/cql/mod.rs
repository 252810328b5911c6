//! CQL, the Contextual Query Language, as a second syntax for filters and orders.
//!
//! [`read`] makes a syntax tree of a text, [`compile()`] gives it the meaning that the fields of a resource
//! have: the expression and order that [`crate::parse`] makes of `q`. The tree prints in a normalized form.
//!
//! # Meaning
//! - `==` and `<>` compare whole values; on text they ignore case and accents unless a modifier says
//!   otherwise, and `*` and `?` mask characters.
//! - `=` and `adj` look for a phrase of whole words in text, `all` for all words, `any` for one of them;
//!   on other types `=` is equality, and `all` and `any` take values between spaces.
//! - `<`, `<=`, `>`, `>=` and `within "low high"` compare as `q` does.
//! - `a not b` holds where `a` is true and `b` is not; an unknown `b` is not true.
//! - A condition on a field below an array holds if any element satisfies it. `prox/unit=element` joins
//!   conditions that the same element satisfies.

mod compile;
mod condition;
mod expression;
mod inside;
mod labels;
mod lexer;
mod locate;
mod mask;
mod modifiers;
mod moments;
mod parser;
mod print;
mod rmb;
mod same_element;
mod sign;
mod sort;
mod text;
pub mod tree;
mod typed;
mod words;

#[cfg(test)]
mod tests;

pub use compile::compile;
pub(crate) use locate::operand_at;
pub use parser::read;
pub use sign::Sign;
pub use tree::Query;

use duet_model::Result;

use crate::fields::FieldIndex;
use crate::grammar::Filter;
use crate::limits::Limits;

/// Reads a CQL query, already percent-decoded.
///
/// ```
/// use duet_filter::{FieldIndex, Limits, cql};
/// use duet_model::{Code, Column, ColumnRef, Compare, Expr, Place, Relation, Shape, Type, Value};
///
/// let integer = Type::Integer { bits: 64 };
/// let columns = vec![Column::new("id", integer.clone()), Column::new("points", integer.clone())];
/// let shape = Shape::of_relation(&Relation::table("main", "team", columns).into());
/// let fields = FieldIndex::new(&shape);
///
/// let filter = cql::parse("points > 1.5 sortBy points/descending", &fields, &Limits::default())?;
/// let points = ColumnRef { node: 0, column: 1 };
/// let more_than_1 = Expr::operand(Value::Int(1), &integer);
/// assert_eq!(filter.expr, Expr::compare(Compare::Gt, points, more_than_1));
/// assert_eq!(filter.order.len(), 1);
///
/// let error = cql::parse("points > 1 and pionts < 9", &fields, &Limits::default()).unwrap_err();
/// assert_eq!((error.code, error.place), (Code::FilterField, Some(Place::Offset(15))));
/// # Ok::<_, duet_model::Error>(())
/// ```
///
/// # Errors
/// [`duet_model::Code::CqlSyntax`] or one of the codes of filters, with the byte position in `text`.
pub fn parse(text: &str, fields: &FieldIndex, limits: &Limits) -> Result<Filter> {
    compile(&read(text, limits)?, fields, limits)
}
