//! Which tables are distributed together.

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::catalog::{ForeignKey, OnDelete, Placement, RelationKind};
use duet_model::promise::{Promise, Promises};
use duet_model::shape::Node;
use duet_model::{Relation, Shape};

/// The name of a table, with its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TableName<'a> {
    pub(super) schema: &'a str,
    pub(super) name: &'a str,
}

/// The group that proposals distribute.
const GROUP: u32 = 1;

/// Columns of a table at one end of a link.
struct LinkEnd<'l> {
    table: &'l Relation,
    columns: &'l [usize],
}

/// A resource of the application.
#[derive(Clone, Copy, Debug)]
pub struct DistributedResource<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it serves.
    pub shape: &'a Shape,
    /// Whether the application declares its key, which then stays as it is.
    pub keeps_key: bool,
}

/// A proposal.
#[derive(Debug)]
pub struct Distribution<'a> {
    /// All tables of the application.
    pub(super) tables: BTreeMap<TableName<'a>, &'a Arc<Relation>>,
    /// The distribution columns of those that are distributed.
    pub(super) columns: BTreeMap<TableName<'a>, usize>,
    /// The table that the others follow.
    pub(super) first: Option<TableName<'a>>,
}

impl<'a> Distribution<'a> {
    /// Proposes a distribution for resources of these shapes.
    pub fn propose(shapes: &[&'a Shape]) -> Self {
        let nodes = shapes.iter().flat_map(|shape| &shape.nodes).map(|node| &node.table);
        let own = nodes.filter(|table| table.kind == RelationKind::Table && table.query.is_none());
        let tables: BTreeMap<_, _> = own.map(|table| (name_of(table), table)).collect();
        let mut best = Self { tables, columns: BTreeMap::new(), first: None };
        let mut most = None;
        let names: Vec<_> = best.tables.keys().copied().collect();
        for name in names {
            let Some(columns) = best.group(name) else { continue };
            let other = Self { tables: best.tables.clone(), columns, first: Some(name) };
            if shapes.iter().any(|shape| other.loses_link(shape)) {
                continue;
            }
            let worth = other.worth(shapes);
            if most.is_none_or(|most| worth > most) {
                (best, most) = (other, Some(worth));
            }
        }
        best
    }

    /// The tables that are distributed with this one by its key, with their columns.
    fn group(&self, first: TableName<'a>) -> Option<BTreeMap<TableName<'a>, usize>> {
        let [key] = self.tables[&first].primary_key[..] else { return None };
        let mut columns = BTreeMap::from([(first, key)]);
        loop {
            let more = self.tables.iter().find_map(|(name, table)| {
                let mut own = table.foreign_keys.iter().filter(|_| !columns.contains_key(name));
                own.find_map(|link| Some((*name, follows(&columns, &self.tables, table, link)?)))
            });
            let Some((name, column)) = more else { return Some(columns) };
            columns.insert(name, column);
        }
    }

    /// What the choice depends on: the rows that are distributed, the resources whose documents are whole and can be
    /// written, the tables.
    fn worth(&self, shapes: &[&Shape]) -> (u64, usize, usize) {
        let rows = self.columns.keys().filter_map(|name| self.tables[name].estimated_rows).sum();
        let is_whole = |shape: &&&Shape| {
            let promises = self.promises(shape);
            promises.is_none_or(|all| all.keeps(Promise::Document) && all.keeps(Promise::Locked))
        };
        (rows, shapes.iter().filter(is_whole).count(), self.columns.len())
    }

    /// Whether a document is joined by a foreign key that Citus cannot keep.
    fn loses_link(&self, shape: &Shape) -> bool {
        let is_lost = |node: &Node| {
            let Some(link) = &node.link else { return false };
            let above = &shape.nodes[link.parent].table;
            let below = LinkEnd { table: &node.table, columns: &link.child_columns };
            let above = LinkEnd { table: above, columns: &link.parent_columns };
            self.drops_between(&below, &above) || self.drops_between(&above, &below)
        };
        shape.nodes.iter().any(is_lost)
    }

    /// Whether a dropped link leads from these columns of a table to those of another.
    fn drops_between(&self, from: &LinkEnd<'_>, to: &LinkEnd<'_>) -> bool {
        let LinkEnd { table, columns } = *from;
        let LinkEnd { table: target, columns: referred } = *to;
        table.foreign_keys.iter().any(|link| {
            let mut names = referred.iter().map(|&column| &target.columns[column].name);
            let is_it = link.columns == columns
                && link.references_schema == target.schema
                && link.references_table == target.name
                && names.all(|name| link.references_columns.contains(name));
            is_it && !self.keeps(table, link)
        })
    }

    /// What a resource would promise.
    pub fn promises_of(&self, resource: DistributedResource<'_>) -> Option<Promises> {
        let (shape, root) = (resource.shape, resource.shape.root());
        let is_own = !resource.keeps_key && shape.key == root.table.primary_key;
        // It is served by the key that its table gets.
        match self.wider_key(&root.table).filter(|_| is_own) {
            Some(key) => self.promises(&Shape { key, ..shape.clone() }),
            None => self.promises(shape),
        }
    }

    /// What documents of a shape would promise that keep their keys.
    pub fn promises(&self, shape: &Shape) -> Option<Promises> {
        let mut placed = shape.clone();
        for node in &mut placed.nodes {
            let placement = self.placement(&node.table);
            let table = Arc::make_mut(&mut node.table);
            table.placement = placement;
            // Rows are found by the key that the table gets.
            if let Some(key) = self.wider_key(table) {
                table.primary_key = key;
            }
        }
        Promises::of(&placed)
    }

    fn placement(&self, table: &Relation) -> Placement {
        if table.kind != RelationKind::Table {
            return if self.first.is_some() { Placement::Mixed } else { Placement::Reference };
        }
        match self.columns.get(&name_of(table)) {
            Some(&column) => {
                Placement::Distributed { column: table.columns[column].name.clone(), group: GROUP }
            }
            None => Placement::Reference,
        }
    }

    /// The key of a table with its distribution column, where that is no part of it.
    pub(super) fn wider_key(&self, table: &Relation) -> Option<Vec<usize>> {
        let column = *self.columns.get(&name_of(table))?;
        let key = &table.primary_key;
        (!key.is_empty() && !key.contains(&column))
            .then(|| key.iter().copied().chain([column]).collect())
    }

    /// Whether Citus keeps a link: between rows of one machine, or to a table that each machine has.
    pub(super) fn keeps(&self, table: &Relation, link: &ForeignKey) -> bool {
        let target = target_of(link);
        let Some(referred) = self.tables.get(&target) else { return false };
        let (own, above) = (self.columns.get(&name_of(table)), self.columns.get(&target));
        match (own, above) {
            (_, None) => match own {
                // What it is distributed by cannot be set to NULL.
                Some(column) => {
                    link.on_delete != OnDelete::Unlink || !link.columns.contains(column)
                }
                None => true,
            },
            (None, Some(_)) => false,
            (Some(own), Some(above)) => {
                let mut pairs = link.columns.iter().zip(&link.references_columns);
                let name = &referred.columns[*above].name;
                let is_near = pairs.any(|(column, referred)| column == own && referred == name);
                is_near && self.wider_key(referred).is_none() && link.on_delete != OnDelete::Unlink
            }
        }
    }
}

/// The column by which a table's rows follow those that one of its links leads to.
fn follows(
    columns: &BTreeMap<TableName<'_>, usize>,
    tables: &BTreeMap<TableName<'_>, &Arc<Relation>>,
    table: &Relation,
    link: &ForeignKey,
) -> Option<usize> {
    let target = target_of(link);
    let above = columns.get(&target)?;
    let name = &tables.get(&target)?.columns[*above].name;
    let position = link.references_columns.iter().position(|column| column == name)?;
    let column = *link.columns.get(position)?;
    let (own, referred) = (&table.columns[column], &tables.get(&target)?.columns[*above]);
    // Equal values of other types are kept elsewhere.
    (own.not_null && own.declared == referred.declared).then_some(column)
}

pub(super) fn name_of(table: &Relation) -> TableName<'_> {
    TableName { schema: &table.schema, name: &table.name }
}

fn target_of(link: &ForeignKey) -> TableName<'_> {
    TableName { schema: &link.references_schema, name: &link.references_table }
}
