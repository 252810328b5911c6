//! Expressions: filters, orders and computed members, and what they test.

pub mod compare;
pub mod expr;
pub mod group_function;
pub mod json_test;
pub(crate) mod native_test;
pub mod reference;
pub mod text_test;
