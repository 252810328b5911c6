//! The data model that all other crates share: types and values, the catalog, expressions, shapes,
//! plans and commits. Errors are those of `duet_text`, given out again.
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

pub mod catalog;
mod collections;
mod commits;
mod expressions;
pub mod memory;
mod plans;
pub mod profiles;
pub mod refusal;
mod shapes;
pub mod steps;
pub mod tenant;
mod values;

pub use catalog::query;
pub use collections::{collection, search_rules};
pub use commits::{commit, commit_class, dependents};
pub use expressions::{compare, expr, group_function, json_test, reference, text_test};
pub use plans::{key, plan, row_tree, write_plan};
pub use shapes::{groups, joined_rows, promise, shape, unchecked, view_notice, view_rule};
pub use values::{pair, pair_value, point, range, temporal, text_form, types, value};

pub use catalog::index_kind::IndexKind;
pub use catalog::query::{Piece, QueryParameter, ServiceQuery};
pub use catalog::{
    Catalog, Column, Derivation, DerivedRows, ForeignKey, Relation, RelationKind, TableRef,
};
pub use collections::collection::{
    CollectionIndex, CollectionReference, CollectionTable, IndexCondition,
};
pub use collections::document::CollectionDocument;
pub use collections::document_field::{DocumentField, Folding};
pub use collections::joined::{JOINED, JoinedPath, joined_paths, joined_texts};
pub use collections::search_rules::{
    DeclaredSearch, Dictionaries, SearchForm, SearchRules, SearchedArray,
};
pub use commits::commit::{CommitConsumer, CommitEvent};
pub use commits::dependents::{AffectedDocuments, Dependents};
pub use duet_text::{Code, Error, ForeignCode, Place, RaisedError, Result, Violation};
pub use expressions::compare::Compare;
pub use expressions::expr::{Arithmetic, Direction, Expr, OrderBy};
pub use expressions::group_function::GroupFunction;
pub use expressions::json_test::{JsonPredicate, JsonScalar, JsonTest};
pub use expressions::native_test::{NativeTest, WordForm};
pub use expressions::reference::{ColumnRef, FieldRef, NodeId, Scope};
pub use expressions::text_test::{TextIndex, TextTest};
pub use plans::plan::{Level, LevelColumn, Page, ReadPlan, Root};
pub use plans::row_tree::{GivenField, GivenRows, RowTree};
pub use plans::write_plan::{Operand, RowAction, RowOperation, WritePlan};
pub use profiles::{DocumentStyle, ProfileRef};
pub use shapes::array_path::ArrayPath;
pub use shapes::derived::{DerivedColumn, DerivedMethod, DerivedValue, MemberOrigin};
pub use shapes::groups::{GroupAggregate, GroupedElements, GroupedValue, Groups};
pub use shapes::shape::{
    Aggregate, AggregateFunction, Cardinality, ColumnMember, Link, ListOrder, ListTerm, Member,
    MemberKind, Node, Operations, Shape,
};
pub use values::pair::{Pair, PairKind};
pub use values::pair_value::pair_value;
pub use values::point::{Area, Point};
pub use values::range::{Range, RangeRelation};
pub use values::text_form::{TEXT_FORMS, TextForm};
pub use values::types::{Attribute, Comparability, DomainCasts, NativeType, Type};
pub use values::value::Value;
