//! The dependency index: from a commit event to the documents that show what changed.
//!
//! A changed row is followed upwards through a shape, from the node of its table to the root, once as it
//! was and once as it is. Where a link's columns are the very columns that lead on, nothing is asked:
//!
//! ```text
//! note(driver_id 41) ─► driver(id 41, team_id ?) ─► asked: {team_id 3} ─► team(id 3) = document 3
//! driver(id 41, team_id 2 → 3) ─► team(id 2), team(id 3) = documents 2 and 3
//! ```

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::catalog::{Relation, RelationKind, TableRef};
use crate::commit::{CommitEvent, Image, RelationChange, key_of, set_value};
use crate::key::parse_text;
use crate::reference::NodeId;
use crate::shape::Shape;
use crate::types::Type;
use crate::value::Value;

/// Which documents of a resource a commit may have changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Affected {
    /// Those with these keys, each once: documents that are there, were there, or appeared.
    Keys(Vec<Vec<Value>>),
    /// Any of them.
    Any,
}

/// Rows that lead from a change to its documents: those of a table that have these values now, after the
/// commit.
#[derive(Clone, Copy, Debug)]
pub struct RowQuery<'q> {
    /// The table.
    pub table: &'q TableRef,
    /// The columns that are known, with their values.
    pub known: &'q [(usize, Value)],
    /// The columns whose values are needed.
    pub wanted: &'q [usize],
}

/// Answers a [`RowQuery`] by the values of `wanted` in each row, in this order; `None` where that is not
/// known without a query.
pub type Resolve<'r> = dyn FnMut(&RowQuery<'_>) -> Option<Vec<Vec<Value>>> + 'r;

/// Resolves nothing: documents are known only where the event itself names them.
pub fn unresolved(_: &RowQuery<'_>) -> Option<Vec<Vec<Value>>> {
    None
}

/// Shapes by the relations that their documents show.
#[derive(Clone, Debug, Default)]
pub struct Dependents {
    shapes: Vec<Arc<Shape>>,
    /// The places of each relation, by schema and name: the shape's position and the node.
    places: HashMap<(String, String), Vec<(usize, NodeId)>>,
    /// Shapes over views of the database, whose rows come from relations that are not known.
    opaque: Vec<usize>,
}

impl Dependents {
    /// The index of these shapes; answers go by their positions.
    pub fn new(shapes: Vec<Arc<Shape>>) -> Self {
        let mut places: HashMap<(String, String), Vec<(usize, NodeId)>> = HashMap::new();
        let mut opaque = Vec::new();
        for (at, shape) in shapes.iter().enumerate() {
            for (node, Relation { schema, name, .. }) in
                shape.nodes.iter().map(|node| &*node.table).enumerate()
            {
                let place = places.entry((schema.clone(), name.clone())).or_default();
                place.push((at, node));
            }
            if shape.nodes.iter().any(|node| node.table.kind != RelationKind::Table) {
                opaque.push(at);
            }
        }
        Self { shapes, places, opaque }
    }

    /// The shapes whose documents a commit may have changed, by their positions, in their order.
    pub fn affected(
        &self,
        event: &CommitEvent<'_>,
        resolve: &mut Resolve<'_>,
    ) -> Vec<(usize, Affected)> {
        if event.everything {
            return (0..self.shapes.len()).map(|at| (at, Affected::Any)).collect();
        }
        let mut all: BTreeMap<usize, Found> = BTreeMap::new();
        if !event.relations.is_empty() {
            all.extend(self.opaque.iter().map(|at| (*at, Found::any())));
        }
        for change in event.relations {
            let name = (change.relation.schema().to_owned(), change.relation.name().to_owned());
            for &(at, node) in self.places.get(&name).into_iter().flatten() {
                all.entry(at).or_default().follow(&self.shapes[at], node, change, resolve);
            }
        }
        all.into_iter().map(|(at, found)| (at, found.affected())).collect()
    }
}

/// What has been found of one shape.
#[derive(Default)]
struct Found {
    any: bool,
    /// Keys by their text, which tells them apart.
    keys: BTreeMap<String, Vec<Value>>,
}

/// Where the way up ends without an answer.
struct Unknown;

impl Found {
    fn any() -> Self {
        Self { any: true, ..Self::default() }
    }

    fn affected(self) -> Affected {
        match self.any {
            true => Affected::Any,
            false => Affected::Keys(self.keys.into_values().collect()),
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
            // It has no parent.
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

/// The parent's columns that lead on, where they are among those that the child's row holds, and equal
/// values are the same in both tables.
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
        // A reference may spell what it refers to in another way.
        (canonical(child, *child_columns.get(at)?, value.clone())? == value).then_some(())?;
        set_value(&mut image, column, value);
    }
    Some(image)
}

/// The one form of a value among those that are equal in a column; `None` where there may be several, or
/// it is no value of the column's type.
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

/// Whether positions of columns mean the same in both descriptions of a relation.
fn same_columns(a: &TableRef, b: &TableRef) -> bool {
    let mut both = a.columns.iter().zip(&b.columns);
    let are_same = a.columns.len() == b.columns.len() && both.all(|(a, b)| a.name == b.name);
    Arc::ptr_eq(a, b) || are_same
}
