//! The stored document of a collection: the values in it that requests may name, and its indexes.

use std::sync::Arc;

use super::collection::{CollectionIndex, IndexCondition};
use super::document_field::{DocumentField, is_joined, is_value_of};
use super::search_rules::SearchRules;
use crate::catalog::Relation;
use crate::catalog::index_kind::IndexKind;
use crate::expressions::expr::Expr;
use crate::expressions::reference::{FieldRef, Scope};
use crate::values::types::Type;

/// The stored document of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionDocument {
    /// Whether the response is the document as it is stored. Otherwise it has the other members of the node,
    /// and only they can be named.
    pub shown: bool,
    /// Whether its members are beside the other members of the node, by a flex member over the same column. Then
    /// it is not `shown`, and filters name its members all the same.
    pub spread: bool,
    /// Position of the JSON column in the node's table.
    pub column: usize,
    /// What filters and orders may name of it, in the order of its JSON Schema.
    pub fields: Arc<[DocumentField]>,
    /// Whether it may have members that `fields` does not name, which filters may name too.
    pub open: bool,
    /// The member of a list that holds the documents, such as `salesOrders`.
    pub list: Arc<str>,
    /// The declared indexes.
    pub indexes: Arc<[CollectionIndex]>,
    /// The JSON Schema of the documents, as JSON text; empty if there is none.
    pub schema: Arc<str>,
    /// How searches behave.
    pub search: Arc<SearchRules>,
}

impl CollectionDocument {
    /// The field that an expression is the value of.
    pub fn field_of(&self, value: &Expr) -> Option<&DocumentField> {
        self.fields.iter().find(|field| match value {
            Expr::Field(reference) if reference.path.is_empty() => {
                field.column == Some(reference.column)
            }
            Expr::Extracted(reference, _) => {
                field.column.is_none()
                    && reference.scope != Scope::Element
                    && reference.path == field.steps()
            }
            Expr::Function(name, arguments) if field.joined.is_some() => {
                field.joined.as_deref().is_some_and(|paths| is_joined(paths, name, arguments))
            }
            Expr::Function(name, arguments) => {
                matches!(&field.ty, Type::Pair(pair) if is_value_of(pair, name, arguments))
            }
            _ => false,
        })
    }

    /// The index in a table of the elements at these member names.
    pub fn elements_index(&self, path: &[String], table: &Relation) -> Option<&CollectionIndex> {
        let is_it = |index: &&CollectionIndex| {
            index.kind == IndexKind::Elements && index.field.steps() == path && index.is_in(table)
        };
        self.indexes.iter().find(is_it)
    }

    /// A condition on documents with its values named by their paths alone, so that it is the same whether a table
    /// has columns for them or not.
    pub fn canonical(&self, condition: &Expr) -> Expr {
        let mut made = condition.clone();
        made.for_each_value(&mut |value| {
            if let Some(field) = self.field_of(value) {
                let path = FieldRef { scope: Scope::Row, column: 0, path: field.steps() };
                *value = Expr::Extracted(path, field.ty.clone());
            }
        });
        made
    }

    /// Whether a condition is one of those that an index in the table has: it is written with its values then,
    /// from which an engine knows that the index has what it finds.
    pub fn is_of_index(&self, condition: &Expr, table: &Relation) -> bool {
        let conditions = || {
            let indexes = self.indexes.iter().filter(|index| index.condition.is_some());
            indexes.filter(|index| index.is_in(table)).filter_map(|it| it.condition.as_ref())
        };
        if conditions().next().is_none() {
            return false;
        }
        let canonical = self.canonical(condition);
        conditions().any(|of_index| of_index.all.contains(&canonical))
    }

    /// The index of folded texts that narrows an exact comparison of a text, in the table of the document; `None`
    /// where there is none, or one of the texts as they are.
    pub fn folded_index(&self, value: &Expr, table: &Relation) -> Option<&CollectionIndex> {
        let field = self.field_of(value).filter(|field| field.ty == Type::Text)?;
        let is_of_values = |index: &&CollectionIndex| {
            index.kind.finds_values() && index.field.path == field.path && index.condition.is_none()
        };
        let mut indexes = self.indexes.iter().filter(is_of_values);
        if indexes.clone().any(|index| index.holds(None)) {
            return None;
        }
        indexes.find(|index| index.is_in(table))
    }

    /// Whether an index has all documents that a filter finds.
    pub fn is_covered(&self, index: &CollectionIndex, filter: &Expr) -> bool {
        index.condition.as_ref().is_none_or(|condition| self.implies(filter, condition))
    }

    /// Whether every document that a filter finds satisfies a condition: each of its conditions is one of the filter's.
    fn implies(&self, filter: &Expr, condition: &IndexCondition) -> bool {
        let parts = match filter {
            Expr::And(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let parts: Vec<Expr> = parts.iter().map(|part| self.canonical(part)).collect();
        condition.all.iter().all(|condition| parts.contains(condition))
    }
}
