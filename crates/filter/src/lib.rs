//! The `q` filter grammar: JSON text to an expression whose fields are resolved and whose
//! operands are typed.
//!
//! Nothing here does IO or writes SQL. What comes out of [`parse`] can be printed or evaluated
//! without a further check: names are positions, numbers and dates are canonical, and no operand
//! is NULL.
//!
//! # The grammar
//! - All members of an object are joined by AND; so are the elements of a bare array on a field.
//!   An object may hold several operators: `{"points":{"$gte":10,"$lt":20}}`.
//! - `"field": value` is `$eq`; `"field": null` is `IS NULL`, as is `{"$eq":null}`; `{"$ne":null}`
//!   is `IS NOT NULL`.
//! - An operator inside `$and`, `$or`, `$nor`, `$not` belongs to the nearest enclosing field; a
//!   member that names a field overrides it.
//! - Field names are dotted paths with array steps implied, matched exactly or, where that is
//!   unambiguous, without case. An object that is no array may also be written as an object:
//!   `{"team":{"name":"Ferrari"}}` is `{"team.name":"Ferrari"}`.
//! - A condition on a field below an array holds if any element satisfies it. `$nin`, `$ninstr`
//!   and `$not` negate that: no element does. `$notnull` requires an element that is not NULL.
//! - A comparison with a NULL field is unknown, and so is its denial; neither selects the row.
//!   `null` among the values of `$in` also finds NULL.
//! - Numbers compare as numbers, whatever the field: `{"points":{"$gt":1.5}}` on integers is
//!   rewritten to an exact comparison of integers, as are numbers beyond 64 bits.
//! - `$group` makes groups of the selected rows; then `$having` and `$orderby` are of the groups, see
//!   [`grouping`].
//! - Empty objects and arrays are refused below the top, because an empty condition selects
//!   everything; only `$in` and `$nin` take an empty list.

mod compute;
pub mod cql;
mod element_values;
pub mod evaluate;
mod fields;
mod filter_text;
mod grammar;
mod groups;
pub mod json;
mod limit_table;
mod limits;
mod operand;
mod operator;
mod operator_row;
mod orders;
mod points;
pub mod postgrest;
mod predicate;
mod ranges;
pub mod regex;
mod search;
mod similarity;
mod text_search;

#[cfg(test)]
mod tests;

use duet_model::Result;

pub use element_values::element_values;
pub use evaluate::{Row, Values, evaluate};
pub use fields::FieldIndex;
pub use filter_text::{FilterText, parse_text};
pub use grammar::Filter;
pub use groups::{Grouping, grouping};
pub use limit_table::{LIMITS, LimitRow};
pub use limits::Limits;
pub use operator::{member_of, operators};
pub use operator_row::{Fields, OperatorRow, Takes};
pub use orders::order_key::order_key;

/// Reads a `q`, already percent-decoded.
///
/// ```
/// use duet_filter::{FieldIndex, Limits, parse};
/// use duet_model::{Code, Column, ColumnRef, Compare, Expr, Relation, Shape, Type, Value};
///
/// let integer = Type::Integer { bits: 64 };
/// let columns = vec![Column::new("id", integer.clone()), Column::new("points", integer.clone())];
/// let shape = Shape::of_relation(&Relation::table("main", "team", columns).into());
/// let fields = FieldIndex::new(&shape);
///
/// // Names become positions. Numbers compare as numbers: more than 1.5 is more than 1 for integers.
/// let q = r#"{"points":{"$gt":1.5},"$orderby":{"points":"DESC"}}"#;
/// let filter = parse(q, &fields, &Limits::default())?;
/// let points = ColumnRef { node: 0, column: 1 };
/// let more_than_1 = Expr::operand(Value::Int(1), &integer);
/// assert_eq!(filter.expr, Expr::compare(Compare::Gt, points, more_than_1));
/// assert_eq!(filter.order.len(), 1);
///
/// let error = parse(r#"{"pionts":1}"#, &fields, &Limits::default()).unwrap_err();
/// assert_eq!(error.code, Code::FilterField);
/// assert_eq!(error.hint.as_deref(), Some("Did you mean `points`?"));
/// # Ok::<_, duet_model::Error>(())
/// ```
///
/// # Errors
/// One of the `DUET-20xx` codes, with the byte position in `text` and, where a name is wrong, the
/// nearest name as a hint.
pub fn parse(text: &str, fields: &FieldIndex, limits: &Limits) -> Result<Filter> {
    grammar::filter(text, fields, limits)
}
