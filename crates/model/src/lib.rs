//! The data model that all other crates share: names, types and values, the catalog, shapes,
//! expressions, plans and error codes.
//!
//! Pure data and pure functions: no IO, no async code, no clock and no database driver.
//!
//! ```
//! use std::sync::Arc;
//! use duet_model::{Code, Column, Error, Place, ReadPlan, Relation, Shape, Type};
//!
//! // A table gives a shape, and a read of the shape a plan, which `sql` prints for each store.
//! let columns = vec![Column::new("id", Type::Integer { bits: 64 }), Column::new("name", Type::Text)];
//! let shape = Shape::of_relation(&Relation::table("main", "team", columns).into());
//! let plan = ReadPlan::by_keys(Arc::new(shape));
//! assert_eq!((plan.levels.len(), plan.levels[0].columns.len()), (1, 2));
//!
//! // An error has a permanent code, a message for the client and a position in the input.
//! let error = Error::new(Code::FilterField, "There is no field `nmae`.")
//!     .hint("Did you mean `name`?")
//!     .at(Place::Offset(2));
//! assert_eq!(error.to_string(), "DUET-2004: There is no field `nmae`. Did you mean `name`?");
//! assert_eq!(error.code.status(), 400);
//! ```

mod aggregate;

pub mod address;
mod calendar;
pub mod catalog;
pub mod catalog_index;
pub mod collection;
pub mod commit;
pub mod commit_class;
pub mod compare;
pub mod decimal;
pub mod dependents;
mod document;
mod document_field;
pub mod effort;
pub mod error;
pub mod expr;
pub mod fold;
pub mod group_function;
pub mod groups;
mod index_kind;
pub mod iso8601;
pub mod joined_rows;
pub mod json;
pub mod json_body;
pub mod json_cursor;
pub mod json_steps;
pub mod json_tape;
pub mod json_test;
mod json_value;
pub mod key;
pub mod lexemes;
pub mod like;
pub mod memory;
pub mod name;
pub mod pair;
pub mod pair_value;
pub mod plan;
pub mod point;
pub mod positions;
pub mod printable;
pub mod problem;
pub mod query;
pub mod range;
pub mod reference;
pub mod refusal;
pub mod regex_pattern;
pub mod relevance;
pub mod remedy;
pub mod row_tree;
pub mod search_rules;
pub mod shape;
pub mod steps;
pub mod temporal;
pub mod tenant;
pub mod text_form;
pub mod text_query;
pub mod text_test;
pub mod trigram;
pub mod types;
pub mod value;
pub mod write_plan;

pub use catalog::{
    Catalog, Column, Derivation, DerivedRows, ForeignKey, Relation, RelationKind, TableRef,
};
pub use collection::{CollectionIndex, CollectionReference, CollectionTable, IndexCondition};
pub use commit::{CommitConsumer, CommitEvent};
pub use compare::Compare;
pub use dependents::{Affected, Dependents};
pub use document::Document;
pub use document_field::{DocumentField, Folding};
pub use error::{Code, Error, Place, Result, Violation};
pub use expr::{Arithmetic, Direction, Expr, OrderBy};
pub use fold::Fold;
pub use group_function::GroupFunction;
pub use groups::{GroupAggregate, GroupedValue, Groups};
pub use index_kind::IndexKind;
pub use json_steps::JsonStep;
pub use json_test::{JsonPredicate, JsonScalar, JsonTest};
pub use lexemes::LexemeQuery;
pub use pair::{Pair, PairKind};
pub use pair_value::pair_value;
pub use plan::{Level, LevelColumn, Page, ReadPlan, Root};
pub use point::{Area, Point};
pub use positions::{Position, Positions, Window};
pub use query::{Piece, Query, QueryParameter};
pub use range::{Range, RangeRelation};
pub use reference::{ColumnRef, FieldRef, NodeId, Scope};
pub use row_tree::{GivenField, GivenRows, RowTree};
pub use search_rules::{Compat, Dictionaries, SearchRules, SearchedArray};
pub use shape::{
    Aggregate, AggregateFunction, Cardinality, ColumnMember, DocumentStyle, Link, ListOrder,
    ListTerm, Member, MemberKind, Node, Operations, Shape,
};
pub use text_form::{TEXT_FORMS, TextForm};
pub use text_query::{TextQuery, TextTerm};
pub use text_test::{TextIndex, TextTest};
pub use types::{Attribute, Comparison, NativeType, Type};
pub use value::Value;
pub use write_plan::{Operand, RowAction, RowOperation, WritePlan};
