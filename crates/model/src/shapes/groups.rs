//! The relation of groups of rows: what a list with `$group` reads instead of the rows.
//!
//! It has a column for each key and each aggregate. Whatever a list can do with a table, such as
//! conditions, orders and pages, it does with this relation.

use std::any::Any;
use std::sync::Arc;

use super::array_path::ArrayPath;
use super::shape::Shape;
use crate::catalog::{Column, Derivation, DerivedRows, Relation, RelationKind};
use crate::expressions::expr::Expr;
use crate::expressions::group_function::{COUNT, GroupFunction};
use crate::expressions::reference::ColumnRef;
use crate::values::types::Type;

/// Groups of the rows that a filter selects.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The shape whose rows are grouped.
    pub shape: Arc<Shape>,
    /// Which rows.
    pub filter: Expr,
    /// What is grouped in place of the rows: elements of arrays in them.
    pub elements: Option<GroupedElements>,
    /// The values that the rows of a group have in common; none where all rows are one group.
    pub keys: Vec<GroupedValue>,
    /// What is computed of each group.
    pub aggregates: Vec<GroupAggregate>,
}

/// The values that a path into arrays leads to in the documents of a column. The key [`GroupedValue::element`] is the value.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupedElements {
    /// The column with the documents.
    pub column: ColumnRef,
    /// The path.
    pub path: ArrayPath,
}

/// The function of [`GroupedValue::element`].
pub const ELEMENT: &str = "element";

/// A value of the rows: of the root, or of a node reached only by to-one links.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupedValue {
    /// The value.
    pub value: Expr,
    /// Its type.
    pub ty: Type,
}

/// A value that is computed of the rows of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupAggregate {
    /// How.
    pub function: GroupFunction,
    /// Of which values, those that are not NULL; `None` counts rows.
    pub of: Option<GroupedValue>,
}

impl DerivedRows for Groups {
    fn is_same(&self, other: &dyn DerivedRows) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}

impl GroupedValue {
    /// The JSON text of each of the [grouped elements](GroupedElements).
    #[must_use]
    pub fn element() -> Self {
        Self { value: Expr::Function(ELEMENT, Vec::new()), ty: Type::Text }
    }
}

impl Groups {
    /// The groups that a relation is of, where it is one of groups.
    pub fn of(relation: &Relation) -> Option<&Self> {
        match &relation.query {
            Some(Derivation::Rows(rows)) => {
                let rows: &dyn Any = &**rows;
                rows.downcast_ref()
            }
            _ => None,
        }
    }

    /// The relation of the groups, with its columns under the names that they are served by, keys
    /// first. `names` are as many.
    pub fn relation(self, names: &[String]) -> Relation {
        let keys = self.keys.iter().map(|key| self.column(Some(&key.value), key.ty.clone()));
        let aggregates = self.aggregates.iter().map(|aggregate| {
            let of = aggregate.of.as_ref();
            let ty = of.and_then(|of| aggregate.function.result(&of.ty)).unwrap_or(COUNT);
            let kept = matches!(aggregate.function, GroupFunction::Min | GroupFunction::Max);
            self.column(of.filter(|_| kept).map(|of| &of.value), ty)
        });
        let named = |((at, name), column): ((usize, &String), Column)| Column {
            name: column_name(at),
            alias: Some(name.clone()),
            ..column
        };
        let columns = names.iter().enumerate().zip(keys.chain(aggregates)).map(named).collect();
        let name = self.shape.name.clone();
        Relation {
            alias: Some(name.clone()),
            kind: RelationKind::View,
            primary_key: Vec::new(),
            query: Some(Derivation::Rows(Arc::new(self))),
            ..Relation::table("", &name, columns)
        }
    }

    /// The column of a value: as the database has it where it is one of its columns.
    fn column(&self, value: Option<&Expr>, ty: Type) -> Column {
        let own = value.and_then(Expr::whole_column).map(|column| self.shape.column(column));
        let declared = match (own, &ty) {
            (Some(own), _) => own.declared.clone(),
            (None, ty) => declared(ty).to_owned(),
        };
        let loose_equality = own.is_some_and(|own| own.loose_equality);
        let sorts_as_text = own.is_some_and(|own| own.sorts_as_text);
        Column { declared, loose_equality, sorts_as_text, ..Column::new("", ty) }
    }
}

/// The name of a column of the relation: no text of a request.
pub fn column_name(at: usize) -> String {
    format!("c{at}")
}

/// A computed value's type as a database declares it.
fn declared(ty: &Type) -> &'static str {
    match ty {
        Type::Boolean => "boolean",
        Type::Integer { .. } => "bigint",
        Type::Decimal { .. } => "numeric",
        Type::Float { .. } => "double precision",
        Type::Date => "date",
        Type::Time => "time",
        Type::Timestamp => "timestamp",
        Type::TimestampTz => "timestamptz",
        Type::Uuid => "uuid",
        _ => "text",
    }
}
