//! Expressions and conditions over the rows of a shape.

mod aggregate;
pub(crate) mod condition;
pub(crate) mod expr;
pub(crate) mod folded_equal;
pub(crate) mod form;
pub(crate) mod index_range;
pub(crate) mod joins;
pub(crate) mod json_elements;
pub(crate) mod json_range;
mod native_test;
mod number_rules;
mod pair;
mod positions;
mod text_test;
