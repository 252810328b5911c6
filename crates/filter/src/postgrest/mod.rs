//! PostgREST's grammar: query strings become a syntax tree, and conditions and orders of it the same expressions as
//! those of `q`. `operators.rs` is the one list of what is taken.
//!
//! The tree knows no tables: who builds documents from `select` gives each condition the columns that it may name
//! ([`Columns`]).

mod casts;
mod column_path;
mod compile;
mod conditions;
mod cursor;
mod operators;
mod order;
mod request;
mod select;
#[cfg(test)]
mod tests;
mod value_text;

pub use casts::{CASTS, CastRow};
pub use column_path::ColumnPath;
pub use compile::{Columns, condition, type_name, value_at};
pub use conditions::{Condition, OperatorArgument, Quantifier, Test};
pub use operators::{NativeKind, OPERATORS, OperatorRow, Stores, is_condition};
pub use order::{Nulls, OrderTerm};
pub use request::{NodeParameters, Request};
pub use select::{
    AGGREGATES, AggregateOperand, Embed, Join, SelectAggregate, SelectField, SelectItem,
};
pub use value_text::as_read;
