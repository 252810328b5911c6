//! The key and the links of a document that the application alone declares: the database does not check them, so its
//! rows may break them.

use crate::catalog::{ForeignKey, same_name};
use crate::expressions::reference::NodeId;
use crate::shapes::shape::Shape;
use crate::{MemberKind, Relation};

/// Said of a resource whose key the database does not check.
pub const KEY: &str = "The application alone declares the key: the database does not check that no two rows have the same.";

/// What the database does not check of documents of a shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UncheckedRules {
    /// Whether two rows of the root may have the same key.
    pub key: bool,
    /// The members whose rows may refer to none, as paths from the root.
    pub links: Vec<String>,
}

impl UncheckedRules {
    /// Of documents of a shape; `None` where the database checks all of it. What a statement answers has no keys in a
    /// database, and its file declares them.
    pub fn of(shape: &Shape) -> Option<Self> {
        let root = &shape.root().table;
        if root.query.is_some() {
            return None;
        }
        let key = !shape.key.is_empty() && !root.checks_key(&shape.key);
        let links = (1..shape.nodes.len()).filter(|&node| !is_checked(shape, node));
        let links: Vec<String> = links.map(|node| path(shape, node)).collect();
        (key || !links.is_empty()).then_some(Self { key, links })
    }

    /// The same in whole sentences.
    pub fn sentences(&self) -> String {
        let mut text = String::new();
        if self.key {
            text.push_str(KEY);
        }
        if !self.links.is_empty() {
            let space = if self.key { " " } else { "" };
            let names: Vec<String> = self.links.iter().map(|link| format!("`{link}`")).collect();
            text.push_str(&format!(
                "{space}The application alone declares the links of {}: the database does not check them.",
                names.join(", ")
            ));
        }
        text
    }
}

/// Whether a foreign key of the database holds a node's rows to those of its parent, or the other way round.
fn is_checked(shape: &Shape, node: NodeId) -> bool {
    let Some(link) = &shape.nodes[node].link else { return true };
    let (child, parent) = (&shape.nodes[node].table, &shape.nodes[link.parent].table);
    let below = KeyColumns { table: child, columns: &link.child_columns };
    let above = KeyColumns { table: parent, columns: &link.parent_columns };
    below.refers_to(&above) || above.refers_to(&below)
}

/// Columns of a table by which a link joins it.
struct KeyColumns<'s> {
    table: &'s Relation,
    columns: &'s [usize],
}

impl KeyColumns<'_> {
    /// Whether a foreign key leads from these columns to others, pair by pair.
    fn refers_to(&self, other: &Self) -> bool {
        let mut keys = self.table.foreign_keys.iter();
        keys.any(|key| refers(key, self.columns, other.table, other.columns))
    }
}

/// Whether a foreign key leads from these columns of its table to those of another, pair by pair.
fn refers(key: &ForeignKey, own: &[usize], table: &Relation, columns: &[usize]) -> bool {
    let leads = |(column, referred): (&usize, &usize)| {
        let at = key.columns.iter().position(|known| known == column);
        let name = at.and_then(|at| key.references_columns.get(at));
        name.is_some_and(|name| same_name(name, &table.columns[*referred].name))
    };
    same_name(&key.references_table, &table.name)
        && same_name(&key.references_schema, &table.schema)
        && key.columns.len() == own.len()
        && own.iter().zip(columns).all(leads)
}

/// The member that has a node's rows, by its names from the root. What is unnested has its parent's.
fn path(shape: &Shape, node: NodeId) -> String {
    let mut names = Vec::new();
    let mut at = node;
    while let Some(link) = &shape.nodes[at].link {
        names.extend(name_of(shape, link.parent, at));
        at = link.parent;
    }
    names.reverse();
    match names.is_empty() {
        true => shape.nodes[node].table.served_name(),
        false => names.join("."),
    }
}

fn name_of(shape: &Shape, parent: NodeId, child: NodeId) -> Option<String> {
    fn find(members: &[crate::Member], child: NodeId) -> Option<String> {
        members.iter().find_map(|member| match &member.kind {
            MemberKind::Object(node) | MemberKind::Array(node) | MemberKind::Scalars(node)
                if *node == child =>
            {
                Some(member.name.clone())
            }
            MemberKind::Group(inner) => find(inner, child),
            _ => None,
        })
    }
    find(&shape.nodes[parent].members, child)
}
