//! Writing documents: what differs between the stored document and the wanted one becomes a plan of
//! row operations.
//!
//! Both are given as trees of rows. Rows are identified only by their keys. A wanted row that the
//! stored document does not have at the same place may exist elsewhere: [`lookups()`] says which rows
//! to look up, and [`plan()`] gets the found rows. The rules are those of the manual's chapter on
//! duality views; nothing here reads or writes.

mod derive;
mod keys;
mod lookups;
mod park;
mod refusal;
mod remove;
mod row_name;
mod stored_keys;
mod stored_row;
mod upsert;

use duet_model::{
    Member, MemberKind, NodeId, Operand, Result, RowOperation, RowTree, Shape, Value, WritePlan,
};

pub use lookups::lookups;
pub use stored_keys::keep_stored_keys;

use keys::Keys;
use row_name::{RowMap, RowName, RowSet};

/// A row to look for: of a node's table, by the values of a key's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// The node whose table is looked into.
    pub node: NodeId,
    /// The columns of a key.
    pub columns: Vec<usize>,
    /// Their values.
    pub key: Vec<Value>,
}

/// The found rows of a look-up.
#[derive(Debug, Default)]
pub struct FoundRows<'t> {
    rows: RowMap<RowTree<'t>>,
}

impl<'t> FoundRows<'t> {
    /// Remembers a row that was found, with everything below it. Its nodes are those of the whole
    /// shape.
    pub fn insert(&mut self, lookup: &Lookup, row: RowTree<'t>) {
        self.rows.insert(RowName::of_node(lookup.node, &lookup.columns, &lookup.key), row);
    }

    fn get(&self, node: NodeId, columns: &[usize], key: &[Value]) -> Option<&RowTree<'t>> {
        if self.rows.is_empty() {
            None
        } else {
            self.rows.get(&RowName::of_node(node, columns, key))
        }
    }
}

/// What is wanted of a document.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a, 't> {
    /// A new one.
    Create(&'a RowTree<'t>),
    /// A whole one under a key that no document has.
    Put(&'a RowTree<'t>),
    /// Another one in the place of the stored one.
    Replace {
        /// As it is stored.
        stored: &'a RowTree<'t>,
        /// The new document.
        wanted: &'a RowTree<'t>,
        /// Whether a patch of the stored one gave it.
        patched: bool,
    },
    /// None.
    Delete(&'a RowTree<'t>),
}

/// Plans the row operations of a change. Operations that the shape's annotations forbid are in the plan
/// with their refusal.
///
/// # Errors
/// Where the document contradicts itself, or a value does not fit its column; with the JSON pointer.
pub fn plan(shape: &Shape, change: Change<'_, '_>, known: &FoundRows<'_>) -> Result<WritePlan> {
    let mut planner = Planner::new(shape, known);
    planner.whole = !matches!(change, Change::Create(_));
    match change {
        Change::Create(wanted) | Change::Put(wanted) => {
            planner.all_new = known.rows.is_empty();
            planner.note_wanted(wanted, &[])?;
            planner.insert(wanted, &[])?;
        }
        Change::Replace { stored, wanted, patched } => {
            planner.patched = patched;
            planner.note_wanted(wanted, &[])?;
            planner.update(stored_row::StoredRow::in_place(stored), wanted, &[])?;
        }
        Change::Delete(stored) => planner.delete_root(stored)?,
    }
    Ok(planner.finish())
}

/// A node as a shape of its own, to look its rows up by the values of a key; with the
/// numbers that its nodes have in the whole shape. Columns that the document tells by its structure
/// alone are members here too.
pub fn subshape(shape: &Shape, node: NodeId, key: &[usize]) -> (Shape, Vec<NodeId>) {
    let mut map = vec![node];
    for id in node + 1..shape.nodes.len() {
        if shape.nodes[id].link.as_ref().is_some_and(|link| map.contains(&link.parent)) {
            map.push(id);
        }
    }
    let renumbered = |id: NodeId| map.iter().position(|&old| old == id).unwrap_or_default();
    let mut nodes: Vec<_> = map.iter().map(|&id| shape.nodes[id].clone()).collect();
    for child in &mut nodes {
        renumber_members(&mut child.members, &renumbered);
        if let Some(link) = &mut child.link {
            link.parent = renumbered(link.parent);
        }
    }
    let table = &shape.nodes[node].table;
    let linked = shape.nodes[node].link.as_ref().map_or(&[][..], |link| &link.child_columns);
    let keys = Keys::new(shape);
    for &column in table.identity().iter().chain(linked).chain(key) {
        if !keys.has_member(&nodes[0].members, column) {
            let member = duet_model::ColumnMember::read_only(column);
            let name = format!("\u{1}{column}");
            nodes[0].members.push(Member { name, kind: MemberKind::Column(member) });
        }
    }
    nodes[0].link = None;
    let name = format!("{}#{node}", shape.name);
    (
        Shape {
            name,
            nodes,
            key: key.to_vec(),
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        },
        map,
    )
}

fn renumber_members(members: &mut [Member], number: &impl Fn(NodeId) -> NodeId) {
    for member in members {
        match &mut member.kind {
            MemberKind::Object(node)
            | MemberKind::Array(node)
            | MemberKind::Scalars(node)
            | MemberKind::Unnest(node) => *node = number(*node),
            MemberKind::Group(inner) => renumber_members(inner, number),
            MemberKind::Column(_)
            | MemberKind::Generated { .. }
            | MemberKind::Flex(_)
            | MemberKind::Document(_)
            | MemberKind::Related(_) => {}
        }
    }
}

/// Gives the nodes of a tree that was read through a [`subshape`] their numbers in the whole shape.
pub fn renumber(row: &mut RowTree<'_>, map: &[NodeId]) {
    row.node = map[row.node];
    for child in &mut row.children {
        child.node = map[child.node];
        child.rows.iter_mut().for_each(|row| renumber(row, map));
    }
}

/// What is being planned.
struct Planner<'a, 't> {
    shape: &'a Shape,
    keys: Keys<'a>,
    known: &'a FoundRows<'t>,
    /// Whether the document is a whole one, so that what it leaves out is meant.
    whole: bool,
    /// Whether a patch gave the document.
    patched: bool,
    /// Whether no row is there that could let go of the value of a unique key.
    all_new: bool,
    /// Deletions and unlinkings, which come first, deepest first.
    removals: Vec<RowOperation>,
    /// Insertions and updates. Operands count their operations from the first of these.
    changes: Vec<RowOperation>,
    /// What they do to unique keys.
    holdings: Vec<park::Holding>,
    /// Deletions of rows that others must leave first, deepest first.
    late: Vec<RowOperation>,
    /// The names of the rows that the document wants below their parents.
    wanted: RowSet,
    /// What the document says of each row that it names by key, and the operation on it.
    seen: RowMap<upsert::PlannedRow>,
}

impl<'a, 't> Planner<'a, 't> {
    fn new(shape: &'a Shape, known: &'a FoundRows<'t>) -> Self {
        Self {
            shape,
            keys: Keys::new(shape),
            known,
            whole: false,
            patched: false,
            all_new: false,
            removals: Vec::new(),
            changes: Vec::new(),
            holdings: Vec::new(),
            late: Vec::new(),
            wanted: RowSet::default(),
            seen: RowMap::default(),
        }
    }

    fn finish(self) -> WritePlan {
        let parked = self.parked();
        let shift = self.removals.len() + parked.len();
        let mut operations = self.removals;
        operations.extend(parked);
        operations.extend(self.changes.into_iter().map(|mut change| {
            for (_, operand) in change.set.iter_mut().chain(&mut change.key) {
                if let Operand::Generated { operation, .. } = operand {
                    *operation += shift;
                }
            }
            change
        }));
        operations.extend(self.late);
        WritePlan { operations }
    }
}
