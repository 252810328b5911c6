//! The dependency index: maps a commit event to the documents that show the changed rows.
//!
//! A changed row is followed upwards through a shape, from the node of its table to the root, once with
//! its old and once with its new values. A query is only needed if a link's columns are unknown:
//!
//! ```text
//! note(driver_id 41) ─► driver(id 41, team_id ?) ─► query: {team_id 3} ─► team(id 3) = document 3
//! driver(id 41, team_id 2 → 3) ─► team(id 2), team(id 3) = documents 2 and 3
//! ```
//!
//! Rows that only a generated member reads are followed in the same way: the values by which its query
//! selects them are a link.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::commit::{CommitEvent, Image, RelationChange, key_of, set_value};
use crate::catalog::{Relation, RelationKind, TableRef};
use crate::expressions::reference::NodeId;
use crate::plans::key::parse_text;
use crate::shapes::shape::Shape;
use crate::values::types::Type;
use crate::values::value::Value;

/// The documents of a resource that a commit may have changed.
#[derive(Clone, Debug, PartialEq)]
pub enum AffectedDocuments {
    /// The documents with these keys, each once: existing, deleted or new ones.
    Keys(Vec<Vec<Value>>),
    /// Any document.
    Any,
}

/// A query for the rows between a change and its documents: the rows of a table that have these values
/// after the commit.
#[derive(Clone, Copy, Debug)]
pub struct RowQuery<'q> {
    /// The table.
    pub table: &'q TableRef,
    /// The known columns with their values.
    pub known: &'q [(usize, Value)],
    /// The columns to return.
    pub wanted: &'q [usize],
}

/// Answers a [`RowQuery`] with the values of `wanted` for each row, in this order; `None` if that would
/// need a database query.
pub type Resolve<'r> = dyn FnMut(&RowQuery<'_>) -> Option<Vec<Vec<Value>>> + 'r;

/// Answers no query: documents are found only if the event itself contains the linking values.
pub fn unresolved(_: &RowQuery<'_>) -> Option<Vec<Vec<Value>>> {
    None
}

/// An index of shapes by the relations that their documents show.
#[derive(Clone, Debug, Default)]
pub struct Dependents {
    /// With a node for the rows of each aggregate.
    shapes: Vec<Arc<Shape>>,
    /// The occurrences of each relation, by schema and name: the shape's position and the node.
    places: HashMap<(String, String), Vec<(usize, NodeId)>>,
    /// The shapes that read rows of a relation from which no link leads to their documents.
    beside: HashMap<(String, String), Vec<usize>>,
    /// Shapes over database views, whose underlying relations are unknown.
    opaque: Vec<usize>,
}

impl Dependents {
    /// An index of these shapes; results refer to their positions.
    pub fn new(shapes: Vec<Arc<Shape>>) -> Self {
        let mut places: HashMap<(String, String), Vec<(usize, NodeId)>> = HashMap::new();
        let mut beside: HashMap<(String, String), Vec<usize>> = HashMap::new();
        let mut opaque = Vec::new();
        let mut followed = Vec::new();
        for (at, mut shape) in shapes.into_iter().enumerate() {
            if shape.has_aggregates() {
                let (with_rows, unlinked) = shape.with_aggregated_rows();
                for Relation { schema, name, .. } in unlinked {
                    beside.entry((schema.clone(), name.clone())).or_default().push(at);
                }
                if with_rows.nodes.len() > shape.nodes.len() {
                    shape = Arc::new(with_rows);
                }
            }
            for (node, Relation { schema, name, .. }) in
                shape.nodes.iter().map(|node| &*node.table).enumerate()
            {
                let place = places.entry((schema.clone(), name.clone())).or_default();
                place.push((at, node));
            }
            if shape.nodes.iter().any(|node| node.table.kind != RelationKind::Table) {
                opaque.push(at);
            }
            followed.push(shape);
        }
        Self { shapes: followed, places, beside, opaque }
    }

    /// The positions of the shapes whose documents a commit may have changed, in ascending order.
    pub fn affected(
        &self,
        event: &CommitEvent<'_>,
        resolve: &mut Resolve<'_>,
    ) -> Vec<(usize, AffectedDocuments)> {
        if event.everything {
            return (0..self.shapes.len()).map(|at| (at, AffectedDocuments::Any)).collect();
        }
        let mut all: BTreeMap<usize, AffectedKeys> = BTreeMap::new();
        if !event.relations.is_empty() {
            all.extend(self.opaque.iter().map(|at| (*at, AffectedKeys::any())));
        }
        for change in event.relations {
            let name = (change.relation.schema().to_owned(), change.relation.name().to_owned());
            let beside = self.beside.get(&name).into_iter().flatten();
            all.extend(beside.map(|at| (*at, AffectedKeys::any())));
            for &(at, node) in self.places.get(&name).into_iter().flatten() {
                all.entry(at).or_default().follow(&self.shapes[at], node, change, resolve);
            }
        }
        all.into_iter().map(|(at, found)| (at, found.affected())).collect()
    }
}

/// The affected documents found for one shape.
#[derive(Default)]
struct AffectedKeys {
    any: bool,
    /// Keys by their text form, which identifies them.
    keys: BTreeMap<String, Vec<Value>>,
}

/// The path to the root cannot be resolved.
struct Unknown;

impl AffectedKeys {
    fn any() -> Self {
        Self { any: true, ..Self::default() }
    }

    fn affected(self) -> AffectedDocuments {
        match self.any {
            true => AffectedDocuments::Any,
            false => AffectedDocuments::Keys(self.keys.into_values().collect()),
        }
    }

    /// Follows the rows of a relation from a node.
    fn follow(
        &mut self,
        shape: &Shape,
        node: NodeId,
        change: &RelationChange,
        resolve: &mut Resolve<'_>,
    ) {
        let of_same =
            change.relation.table().filter(|it| same_columns(it, &shape.nodes[node].table));
        let (Some(rows), Some(_)) = (change.extent.rows(), of_same) else {
            self.any = true;
            return;
        };
        for image in rows.iter().flat_map(|row| row.before.iter().chain(&row.after)) {
            if self.any {
                return;
            }
            self.any = self.climb(shape, node, image, resolve).is_err();
        }
    }

    /// Follows one row up to the documents that show it.
    fn climb(
        &mut self,
        shape: &Shape,
        node: NodeId,
        image: &Image,
        resolve: &mut Resolve<'_>,
    ) -> Result<(), Unknown> {
        let table = &shape.nodes[node].table;
        let Some(link) = &shape.nodes[node].link else {
            let key = key_of(&shape.key, image).ok_or(Unknown)?;
            let parts = shape.key.iter().zip(key);
            let key = parts.map(|(&column, value)| canonical(table, column, value));
            let key: Vec<Value> = key.collect::<Option<_>>().ok_or(Unknown)?;
            self.keys.insert(format!("{key:?}"), key);
            return Ok(());
        };
        let values = key_of(&link.child_columns, image).ok_or(Unknown)?;
        if values.iter().any(Value::is_null) {
            // The row has no parent.
            return Ok(());
        }
        let parent = &shape.nodes[link.parent];
        let leads_on = match &parent.link {
            Some(link) => &link.child_columns,
            None => &shape.key,
        };
        let known = link.parent_columns.iter().copied().zip(values);
        let known: Vec<(usize, Value)> = known.collect();
        if let Some(image) = carried(&parent.table, leads_on, &known, table, &link.child_columns) {
            return self.climb(shape, link.parent, &image, resolve);
        }
        let query = RowQuery { table: &parent.table, known: &known, wanted: leads_on };
        for row in resolve(&query).ok_or(Unknown)? {
            let mut image = Image::new();
            for (&column, value) in leads_on.iter().zip(row) {
                set_value(&mut image, column, value);
            }
            self.climb(shape, link.parent, &image, resolve)?;
        }
        Ok(())
    }
}

/// The wanted columns of the parent, if the child's row contains them and both tables have the same
/// canonical values.
fn carried(
    parent: &Relation,
    leads_on: &[usize],
    known: &[(usize, Value)],
    child: &Relation,
    child_columns: &[usize],
) -> Option<Image> {
    let mut image = Image::new();
    for &column in leads_on {
        let at = known.iter().position(|(it, _)| *it == column)?;
        let value = canonical(parent, column, known[at].1.clone())?;
        // A reference may spell the referenced value differently.
        (canonical(child, *child_columns.get(at)?, value.clone())? == value).then_some(())?;
        set_value(&mut image, column, value);
    }
    Some(image)
}

/// The canonical form of a value in a column; `None` if equal values may have several forms, or the
/// value is not of the column's type.
fn canonical(table: &Relation, column: usize, value: Value) -> Option<Value> {
    let column = table.columns.get(column)?;
    if column.loose_equality {
        return None;
    }
    match (&column.ty, value) {
        (Type::Integer { .. }, value @ Value::Int(_))
        | (Type::Boolean, value @ Value::Bool(_))
        | (Type::Text | Type::Enum(_), value @ Value::Text(_)) => Some(value),
        (Type::Uuid, Value::Text(text)) => parse_text(&Type::Uuid, &text).ok(),
        _ => None,
    }
}

/// Whether column positions agree in both descriptions of a relation.
fn same_columns(a: &TableRef, b: &TableRef) -> bool {
    let mut both = a.columns.iter().zip(&b.columns);
    let are_same = a.columns.len() == b.columns.len() && both.all(|(a, b)| a.name == b.name);
    Arc::ptr_eq(a, b) || are_same
}
