//! The statements that lock the rows of documents before they are written.
//!
//! The root's rows first, then those of every node that may be written through the shape, parents
//! before children, each in the order of its identifying columns: two writes of the same rows
//! lock them in the same order. Rows of read-only nodes are not locked.
//!
//! Rows are locked `FOR NO KEY UPDATE` where no row of the document refers to them, so that others
//! may insert rows that refer to them. A write that changes a key or deletes takes the stronger
//! lock itself.
//!
//! Where a table is distributed over machines, the engine locks rows only where one value says which machine has them. There
//! all statements are for one key, and run for one key after the other.

use duet_model::{Member, MemberKind, Node, NodeId, ReadPlan, RelationKind, Root, Shape};

use crate::dialect::{Dialect, KeyStyle};
use crate::expressions::joins::{join, row_filter, table};
use crate::read::levels::level_by_keys;
use crate::writer::{Statement, Writer};

/// The statements that lock the rows that a plan of [`ReadPlan::by_keys`] reads and a write may change,
/// in the order in which they must run; none for a dialect without row locks. What they select
/// has one column and no meaning.
///
/// For a single key, each part of which is a value, where the shape [is distributed](Shape::is_distributed).
pub fn lock_statements(dialect: &dyn Dialect, plan: &ReadPlan) -> Vec<Statement> {
    if dialect.row_lock().is_none() || dialect.key_style() == KeyStyle::Single {
        return Vec::new();
    }
    let shape = &plan.shape;
    let nodes = (0..shape.nodes.len()).filter(|&node| {
        let written = node == 0 || is_written(&shape.nodes[node]);
        written && shape.nodes[node].table.kind != RelationKind::MaterializedView
    });
    nodes.map(|node| lock_statement(dialect, plan, node)).collect()
}

/// Statements that both lock and read, one for each level of a plan of
/// [`ReadPlan::by_keys`], in the order in which they must run.
///
/// A statement that waits for a lock sees the row that it gets as it is then, and everything else as
/// it was when it began. So this is for documents alone of which no row can appear meanwhile: every
/// level is locked, has no row filter, and refers to its parent by a foreign key, which keeps new rows
/// below a locked one out. `None` for others, and for a dialect without row locks.
///
/// With `one` they are for a single key, each part of which is a value: cheaper, and what engines can do
/// that distribute tables by it. `None` too where rows are matched by ordinal.
pub fn locked_level_statements(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    one: bool,
) -> Option<Vec<Statement>> {
    let shape = &plan.shape;
    let row_lock = dialect.row_lock().filter(|_| dialect.key_style() == KeyStyle::Arrays)?;
    let is_locked = |node: NodeId| {
        let (own, table) = (&shape.nodes[node], &shape.nodes[node].table);
        let changed = node == 0 || is_written(own);
        changed && own.filter.is_none() && table.kind == RelationKind::Table && table.plain
    };
    let nodes = 0..shape.nodes.len();
    // A level for each node: none is joined into another's.
    let keyed = plan.root == Root::Keys && !(one && plan.by_ordinal);
    if !one && shape.is_distributed() {
        return None;
    }
    let alone = keyed && plan.levels.len() == nodes.len();
    if !alone || !nodes.clone().all(|node| is_locked(node) && refers(shape, node)) {
        return None;
    }
    let statement = |level: usize| {
        let mut writer = Writer::new(dialect);
        level_by_keys(&mut writer, plan, level, one);
        if level == 0 && !one {
            order(&mut writer, shape, 0);
        }
        let node = plan.levels[level].node;
        writer.text(lock_of(dialect, shape, node).unwrap_or(row_lock));
        writer.alias(node);
        writer.finish()
    };
    Some((0..plan.levels.len()).map(statement).collect())
}

/// The same for a group of documents that are written in one transaction, none of which may wait for
/// another transaction: roots that are locked elsewhere are left out, and a locked row below one of the
/// others is an error.
///
/// `None` also if documents of the group may have rows in common: if a table occurs twice, or
/// equal keys may be written in several ways.
pub fn group_level_statements(dialect: &dyn Dialect, plan: &ReadPlan) -> Option<Vec<Statement>> {
    let [skip, fail] = dialect.row_lock_without_waiting()?;
    let nodes = &plan.shape.nodes;
    let is_twice = |at: usize| nodes[..at].iter().any(|other| other.table == nodes[at].table);
    if plan.by_ordinal || (0..nodes.len()).any(is_twice) {
        return None;
    }
    let mut statements = locked_level_statements(dialect, plan, false)?;
    for (level, statement) in statements.iter_mut().enumerate() {
        let mode = if level == 0 { skip } else { fail };
        statement.sql = format!("{}{mode}", statement.sql).into();
    }
    Some(statements)
}

/// Whether a foreign key holds a node's rows to those of its parent; the root has none.
fn refers(shape: &Shape, node: NodeId) -> bool {
    let Some(link) = &shape.nodes[node].link else { return true };
    let (table, parent) = (&shape.nodes[node].table, &shape.nodes[link.parent].table);
    let linked = |columns: &[usize], references: &[String]| {
        columns.len() == link.child_columns.len()
            && link.child_columns.iter().zip(&link.parent_columns).all(|(child, &above)| {
                let at = columns.iter().position(|column| column == child);
                at.and_then(|at| references.get(at)) == Some(&parent.columns[above].name)
            })
    };
    table.foreign_keys.iter().any(|key| {
        key.references_schema == parent.schema
            && key.references_table == parent.name
            && linked(&key.columns, &key.references_columns)
    })
}

/// Whether rows may be changed through this node.
fn is_written(node: &Node) -> bool {
    let allowed = node.operations;
    allowed.insert || allowed.update || allowed.delete || has_changeable(&node.members)
}

fn has_changeable(members: &[Member]) -> bool {
    members.iter().any(|member| match &member.kind {
        MemberKind::Column(column) => column.update,
        MemberKind::Group(inner) => has_changeable(inner),
        _ => false,
    })
}

fn lock_statement(dialect: &dyn Dialect, plan: &ReadPlan, node: NodeId) -> Statement {
    let shape = &plan.shape;
    let mut writer = Writer::new(dialect);
    let each = shape.is_distributed();
    let with_table = plan.by_ordinal && !each;
    writer.text("SELECT 1 FROM ");
    if with_table {
        keys_table(&mut writer, shape);
        writer.text(" JOIN ");
        table(&mut writer, shape, 0);
        writer.text(" ON ");
        key_condition(&mut writer, shape, true);
    } else {
        table(&mut writer, shape, 0);
    }
    for below in path(shape, node) {
        join(&mut writer, shape, below, " JOIN ");
    }
    writer.text(" WHERE ");
    match (with_table, each) {
        (true, _) => {
            let truth = writer.dialect.truth(true);
            writer.text(truth);
        }
        (false, true) => one_key(&mut writer, shape),
        (false, false) => key_condition(&mut writer, shape, false),
    }
    row_filter(&mut writer, shape, 0, " AND ");
    order(&mut writer, shape, node);
    writer.text(lock_of(dialect, shape, node).unwrap_or_default());
    writer.alias(node);
    writer.finish()
}

/// How the rows of a node are locked. Where rows of the document refer to them, no other one may
/// appear meanwhile. Elsewhere new rows may refer to a locked one: a write that changes its key or
/// deletes it waits for these when it does so.
fn lock_of(dialect: &dyn Dialect, shape: &Shape, node: NodeId) -> Option<&'static str> {
    let owns = (0..shape.nodes.len()).any(|below| {
        let link = shape.nodes[below].link.as_ref();
        link.is_some_and(|link| link.parent == node) && !shape.parent_refers(below)
    });
    if owns { dialect.row_lock() } else { dialect.row_lock_beside_references() }
}

/// The nodes from below the root down to this one.
fn path(shape: &Shape, node: NodeId) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut at = node;
    while let Some(link) = &shape.nodes[at].link {
        path.push(at);
        at = link.parent;
    }
    path.reverse();
    path
}

/// The keys as a table, because equal keys may differ in their bytes or have several parts.
fn keys_table(writer: &mut Writer<'_>, shape: &Shape) {
    let [before, after] = writer.dialect.keys_table();
    writer.text(before);
    writer.list(0..shape.key.len(), ", ", |writer, part| bind_key(writer, shape, part));
    writer.text(after);
    writer.text("(");
    writer.list(0..shape.key.len(), ", ", |writer, part| {
        writer.text("k");
        writer.number(part);
    });
    writer.text(", ord)");
}

fn key_condition(writer: &mut Writer<'_>, shape: &Shape, with_table: bool) {
    writer.list(0..shape.key.len(), " AND ", |writer, part| {
        let column = &shape.root().table.columns[shape.key[part]];
        writer.column(0, &column.name);
        if with_table {
            writer.text(" = ");
            writer.key_of_table(part, &column.ty, &column.declared);
        } else {
            writer.is_any_key(part, &column.ty, &column.declared);
        }
    });
}

/// That the root's row has the key, of which each part is a value.
fn one_key(writer: &mut Writer<'_>, shape: &Shape) {
    writer.list(0..shape.key.len(), " AND ", |writer, part| {
        let column = &shape.root().table.columns[shape.key[part]];
        writer.column(0, &column.name);
        writer.text(" = ");
        writer.bind_one_key(part, &column.ty, &column.declared);
    });
}

fn bind_key(writer: &mut Writer<'_>, shape: &Shape, part: usize) {
    let column = &shape.root().table.columns[shape.key[part]];
    writer.bind_key(part, &column.ty, &column.declared);
}

/// By the identifying columns; rows without any are locked as they come.
fn order(writer: &mut Writer<'_>, shape: &Shape, node: NodeId) {
    let table = &shape.nodes[node].table;
    let identity = if node == 0 { &shape.key[..] } else { table.identity() };
    if identity.is_empty() {
        return;
    }
    writer.text(" ORDER BY ");
    writer.list(identity, ", ", |writer, &column| {
        writer.column(node, &table.columns[column].name);
    });
}
