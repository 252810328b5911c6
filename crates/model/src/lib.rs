//! The nouns that every other crate shares: names, types and values, the catalog, shapes,
//! expressions, plans and error codes.
//!
//! Pure data and pure functions. Nothing here does IO, is async, reads a clock or names a driver.

pub mod address;
pub mod catalog;
pub mod compare;
pub mod decimal;
pub mod error;
pub mod expr;
pub mod json;
pub mod json_cursor;
pub mod json_tape;
pub mod json_test;
pub mod key;
pub mod memory;
pub mod name;
pub mod plan;
pub mod printable;
pub mod problem;
pub mod reference;
pub mod refusal;
pub mod row_tree;
pub mod shape;
pub mod temporal;
pub mod text_query;
pub mod types;
pub mod value;
pub mod write_plan;

pub use catalog::{Catalog, Column, ForeignKey, Relation, RelationKind, TableRef};
pub use compare::Compare;
pub use error::{Code, Error, Place, Result, Violation};
pub use expr::{Arithmetic, Direction, Expr, OrderBy};
pub use json_test::{JsonPredicate, JsonScalar, JsonTest};
pub use plan::{Level, LevelColumn, Page, ReadPlan, Root};
pub use reference::{ColumnRef, FieldRef, NodeId, Scope};
pub use row_tree::{GivenField, GivenRows, RowTree};
pub use shape::{Cardinality, ColumnMember, Link, Member, MemberKind, Node, Operations, Shape};
pub use text_query::{TextQuery, TextTerm};
pub use types::Type;
pub use value::Value;
pub use write_plan::{Operand, RowAction, RowOperation, WritePlan};
