//! Resources: everything that is served is one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use duet_auth::ResourceAccess;
use duet_filter::FieldIndex;
use duet_model::{
    ColumnMember, Member, MemberKind, Node, Operations, Relation, RelationKind, Result, Shape,
};
use duet_sql::Dialect;

use crate::definition;
use crate::expand::{Expandable, Expansion};
use crate::representation::{Representation, project};
use crate::write::Writable;

/// What a resource is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A table.
    Table,
    /// A view of the database.
    View,
    /// A duality view.
    DualityView,
}

/// A name, a shape and what may be done with it.
#[derive(Debug)]
pub struct Resource {
    /// The name in the path.
    pub name: String,
    /// What it is made of.
    pub kind: ResourceKind,
    /// The shape of its whole document.
    pub shape: Arc<Shape>,
    /// The fields that filters and orders may name.
    pub fields: FieldIndex,
    /// Who may do what.
    pub access: ResourceAccess,
    /// Items in a page where the request does not say.
    pub page_size: u64,
    /// Whether clients receive what triggers say when they refuse a change.
    pub trigger_messages: bool,
    /// The comment on the table or view.
    pub comment: Option<String>,
    /// Its place in the metrics.
    pub index: usize,
    /// The foreign keys that `expand=` may follow.
    pub expandables: Vec<Expandable>,
    pub(crate) whole: Arc<Representation>,
    /// What writing needs; `None` for what is read-only or has no key.
    pub(crate) writable: Option<Writable>,
    projections: Mutex<Projections>,
}

/// Compiled `fields=` and `expand=` lists, the oldest forgotten first.
#[derive(Debug, Default)]
struct Projections {
    by_fields: BTreeMap<String, Arc<Representation>>,
    oldest: VecDeque<String>,
}

impl Resource {
    pub(crate) fn new(
        kind: ResourceKind,
        shape: Shape,
        access: ResourceAccess,
        page_size: u64,
        dialect: &dyn Dialect,
    ) -> Self {
        let name = shape.name.clone();
        let whole = Arc::new(Representation::new(shape, &name, dialect));
        let shape = Arc::clone(&whole.shape);
        Self {
            kind,
            fields: FieldIndex::new(&shape),
            access,
            page_size,
            trigger_messages: false,
            comment: shape.root().table.comment.clone(),
            index: 0,
            writable: whole
                .item
                .as_ref()
                .filter(|_| shape.is_writable())
                .map(|(read, program)| Writable::new(read, program, dialect)),
            expandables: Vec::new(),
            shape,
            whole,
            name,
            projections: Mutex::default(),
        }
    }

    /// Whether both are served in the same way, by the same statements, within one application.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        (&self.name, self.kind, self.page_size, &self.comment)
            == (&other.name, other.kind, other.page_size, &other.comment)
            && self.expandables == other.expandables
            && self.shape.same_but_estimates(&other.shape)
    }

    /// Whether documents may be written at all.
    pub fn is_writable(&self) -> bool {
        self.writable.is_some()
    }

    /// Whether it is a table without a key: rows can be inserted and nothing else.
    pub fn inserts_only(&self) -> bool {
        self.kind == ResourceKind::Table
            && self.shape.key.is_empty()
            && self.shape.root().operations.insert
    }

    /// Whether documents may be added.
    pub fn takes_inserts(&self) -> bool {
        let inserts = self.shape.root().operations.insert;
        inserts && (self.is_writable() || self.inserts_only())
    }

    /// Whether single items can be asked for.
    pub fn has_items(&self) -> bool {
        !self.shape.key.is_empty()
    }

    /// The whole document, with what is expanded, or the members that `fields` names.
    pub(crate) fn representation(
        &self,
        fields: Option<&str>,
        expansion: Option<&Expansion>,
        dialect: &dyn Dialect,
        keep: usize,
    ) -> Result<Arc<Representation>> {
        let asked = match (fields, expansion) {
            (None, None) => return Ok(Arc::clone(&self.whole)),
            (Some(fields), None) => format!("?fields={fields}"),
            (None, Some(expansion)) => format!("?expand={}", expansion.canonical),
            (Some(fields), Some(expansion)) => {
                format!("?expand={}&fields={fields}", expansion.canonical)
            }
        };
        if let Some(known) = self.lock().by_fields.get(&asked) {
            return Ok(Arc::clone(known));
        }
        let expanded = expansion.map(|expansion| expansion.shape(&self.shape));
        let whole = expanded.as_ref().unwrap_or(&self.shape);
        let shape = match fields {
            Some(fields) => project(whole, fields)?,
            None => whole.clone(),
        };
        let name = format!("{}{asked}", self.name);
        let mut made = Representation::new(shape, &name, dialect);
        made.fields = expanded.as_ref().map(FieldIndex::new);
        let made = Arc::new(made);
        let mut projections = self.lock();
        if projections.oldest.len() >= keep.max(1)
            && let Some(oldest) = projections.oldest.pop_front()
        {
            projections.by_fields.remove(&oldest);
        }
        projections.oldest.push_back(asked.clone());
        projections.by_fields.insert(asked, Arc::clone(&made));
        Ok(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Projections> {
        self.projections.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The shape of a table or view served by itself: one node, every column a member.
pub(crate) fn table_shape(
    relation: &Arc<Relation>,
    declared: Option<&definition::Resource>,
) -> Shape {
    let hidden: Vec<usize> = declared
        .iter()
        .flat_map(|resource| &resource.hidden)
        .filter_map(|name| relation.column_index(name))
        .collect();
    let is_table = relation.kind == RelationKind::Table;
    let columns = relation.columns.iter().enumerate();
    let members = columns
        .filter(|(index, _)| !hidden.contains(index))
        .map(|(index, column)| (index, column.served_name()))
        .map(|(index, name)| {
            let column = ColumnMember { update: is_table, ..ColumnMember::read_only(index) };
            Member { name, kind: MemberKind::Column(column) }
        })
        .collect();
    let node = Node {
        table: Arc::clone(relation),
        link: None,
        members,
        filter: None,
        check_option: false,
        operations: Operations { insert: is_table, update: is_table, delete: is_table },
    };
    Shape {
        name: relation.served_name(),
        nodes: vec![node],
        key: key_of(relation, declared),
        metadata: false,
    }
}

/// The declared key where there is one, else the table's own. A declared column that does not exist is
/// told elsewhere: without it, items are not served.
fn key_of(relation: &Relation, declared: Option<&definition::Resource>) -> Vec<usize> {
    let named = declared.map_or(&[][..], |resource| &resource.key);
    if named.is_empty() {
        return relation.identity().to_vec();
    }
    let key: Option<Vec<usize>> = named.iter().map(|name| relation.column_index(name)).collect();
    key.unwrap_or_default()
}

/// The kind of a resource made of this relation.
pub(crate) fn kind_of(relation: &Relation) -> ResourceKind {
    match relation.kind {
        RelationKind::Table => ResourceKind::Table,
        RelationKind::View | RelationKind::MaterializedView => ResourceKind::View,
    }
}
