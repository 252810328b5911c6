//! What searches of a collection may name beside its own values: those of related documents, along the
//! references of collections in either direction; and the shapes of joined lists.
//!
//! A second shape for lists has a node for each related document, so a condition on one is a join
//! or an `EXISTS`, as in any view. The nodes of a joined list have no name: their fields are the
//! document's.

use std::collections::VecDeque;
use std::sync::Arc;

use duet_auth::ResourceAccess;
use duet_collection::{Collection, JoinedList, RelatedDocuments};
use duet_model::collection::{KEY, column_name};
use duet_model::{
    Cardinality, ColumnRef, DocumentField, Expr, FieldRef, Link, Member, MemberKind, Node, NodeId,
    Operations, Relation, Scope, Shape, Type,
};

use super::collection_shape::collection_shape;

/// References that a path may follow.
const DEPTH: usize = 4;

/// Related documents that searches of one collection may name.
const MOST: usize = 64;

/// The collections of a mount and their tables.
#[derive(Clone, Copy)]
pub(crate) struct Documents<'a> {
    pub(crate) collections: &'a [Arc<Collection>],
    pub(crate) table: &'a dyn Fn(&Collection) -> Option<&'a Arc<Relation>>,
}

/// Whose documents the rows of a node are; a search that names them needs the right to read these.
#[derive(Clone, Debug)]
pub(crate) struct RelatedNode {
    pub(crate) node: NodeId,
    /// The name of the collection.
    pub(crate) name: String,
    pub(crate) access: ResourceAccess,
}

/// A shape with related documents, and whose they are.
pub(crate) struct WithRelated {
    pub(crate) shape: Shape,
    pub(crate) nodes: Vec<(NodeId, String)>,
}

impl<'a> Documents<'a> {
    /// The shape of a collection for searches; `None` where no documents are related to it.
    pub(crate) fn search_shape(
        self,
        collection: &'a Collection,
        shape: &Shape,
    ) -> Option<WithRelated> {
        let mut tree = Tree { documents: self, shape: shape.clone(), nodes: Vec::new() };
        tree.alias(collection);
        tree.grow(collection);
        let Tree { shape, nodes, .. } = tree;
        (!nodes.is_empty()).then_some(WithRelated { shape, nodes })
    }

    /// The shape of a collection under another name, and that for its searches.
    pub(crate) fn aliased_shape(self, list: &JoinedList) -> Option<(Shape, Option<WithRelated>)> {
        let collection = list.collection(self.collections)?;
        let mut shape = collection_shape(collection, (self.table)(collection)?)?;
        shape.name.clone_from(&list.name);
        let document = shape.nodes[0].members.iter_mut().find_map(as_document);
        if let (Some(document), Some(member)) = (document, &list.list) {
            document.list = member.as_str().into();
        }
        let search = self.search_shape(collection, &shape);
        Some((shape, search))
    }

    /// The shape of a joined list, and that for its searches. `None` if a table does not exist.
    pub(crate) fn joined_shape(self, list: &JoinedList) -> Option<(Shape, WithRelated)> {
        let collection = list.collection(self.collections)?;
        let mut shape = collection_shape(collection, (self.table)(collection)?)?;
        shape.name.clone_from(&list.name);
        shape.forbid_writes();
        let composed = !list.members.is_empty();
        let list_member = list.list.as_deref().unwrap_or(&collection.declaration().list);
        if let Some(document) = shape.nodes[0].members.iter_mut().find_map(as_document) {
            document.list = list_member.into();
            document.shown = !composed;
            if composed {
                document.schema = list.schema(self.collections).into();
            }
        }
        let mut tree = Tree { documents: self, shape, nodes: Vec::new() };
        let joined = tree.join(list, composed)?;
        if composed {
            tree.compose(list, &joined);
        }
        // Joined documents are the content of the list: callers who may read it may search them.
        tree.nodes.clear();
        let listed = if composed { tree.shape.clone() } else { without_related(&tree.shape) };
        if !composed {
            tree.grow(collection);
        }
        Some((listed, WithRelated { shape: tree.shape, nodes: tree.nodes }))
    }
}

fn as_document(member: &mut Member) -> Option<&mut duet_model::CollectionDocument> {
    match &mut member.kind {
        MemberKind::Document(document) => Some(&mut **document),
        _ => None,
    }
}

/// The shape of the shown documents alone.
fn without_related(shape: &Shape) -> Shape {
    let mut alone = shape.clone();
    alone.nodes.truncate(1);
    alone.nodes[0].members.retain(|member| !matches!(member.kind, MemberKind::Related(_)));
    alone
}

/// A shape to which nodes of related documents are added.
struct Tree<'a> {
    documents: Documents<'a>,
    shape: Shape,
    nodes: Vec<(NodeId, String)>,
}

impl<'a> Tree<'a> {
    /// Adds the documents related to those of the root, the nearest first. A path follows no reference twice: it would
    /// come back to where it was.
    fn grow(&mut self, collection: &'a Collection) {
        let mut waiting = VecDeque::from([(0, collection, Vec::<RelatedDocuments<'a>>::new())]);
        while let Some((node, collection, path)) = waiting.pop_front() {
            for related in collection.related(self.documents.collections) {
                let is_new = path.iter().all(|before| !before.is_along(&related));
                if !is_new || self.nodes.len() >= MOST {
                    continue;
                }
                let Some(added) = self.add(node, &related) else { continue };
                let kind = MemberKind::Related(added);
                self.shape.nodes[node].members.push(Member { name: related.name(), kind });
                if path.len() + 1 < DEPTH {
                    let path = path.iter().copied().chain([related]).collect();
                    waiting.push_back((added, related.collection, path));
                }
            }
        }
    }

    /// Adds the documents that have a name along several references. What is between has names that no query gives.
    fn alias(&mut self, collection: &'a Collection) {
        let mut aliases = Vec::new();
        for (name, steps) in collection.along_paths(self.documents.collections) {
            let (mut node, mut names) = (0, Vec::new());
            for (at, related) in steps.iter().enumerate() {
                let Some(added) = self.add(node, related) else { break };
                let step = format!("\u{2192}{name}{at}");
                let kind = MemberKind::Related(added);
                self.shape.nodes[node].members.push(Member { name: step.clone(), kind });
                names.push(step);
                node = added;
            }
            if names.len() == steps.len() {
                aliases.push((name.to_owned(), names.join(".")));
            }
        }
        if aliases.is_empty() {
            return;
        }
        if let Some(document) = self.shape.nodes[0].members.iter_mut().find_map(as_document) {
            Arc::make_mut(&mut document.search).aliases = aliases;
        }
    }

    /// The node of related documents, below that of a document.
    fn add(&mut self, parent: NodeId, related: &RelatedDocuments<'_>) -> Option<NodeId> {
        let table = (self.documents.table)(related.collection)?;
        let shape = collection_shape(related.collection, table)?;
        let parent_table = &self.shape.nodes[parent].table;
        let reference = column_name(&related.reference.path);
        let (own, other) = if related.many { (KEY, &*reference) } else { (&*reference, KEY) };
        let link = Link {
            parent,
            parent_columns: vec![parent_table.column_index(own)?],
            child_columns: vec![table.column_index(other)?],
            cardinality: if related.many { Cardinality::Many } else { Cardinality::One },
        };
        let node = self.shape.nodes.len();
        let root = shape.nodes.into_iter().next()?;
        self.shape.nodes.push(Node { link: Some(link), operations: Operations::default(), ..root });
        self.nodes.push((node, related.collection.declaration().name.clone()));
        Some(node)
    }

    /// Joins the documents of a list, each by its names; as members of the response where it has `composed` ones.
    fn join(&mut self, list: &JoinedList, composed: bool) -> Option<Vec<(String, NodeId)>> {
        let mut joined = vec![(String::new(), 0)];
        let mut wanted: Vec<&String> = list.join.iter().collect();
        wanted.sort_by_key(|join| join.matches('.').count());
        for join in wanted {
            let related = list.path(self.documents.collections, join)?.pop()?;
            let before = join.rsplit_once('.').map_or("", |(before, _)| before);
            let parent = joined.iter().find(|(name, _)| name == before)?.1;
            let node = self.add(parent, &related)?;
            let kind = match composed {
                true => MemberKind::Unnest(node),
                false => MemberKind::Related(node),
            };
            self.shape.nodes[parent].members.push(Member { name: String::new(), kind });
            joined.push((join.clone(), node));
        }
        Some(joined)
    }

    /// Gives each node its members of the response, in the order in which they are declared.
    fn compose(&mut self, list: &JoinedList, joined: &[(String, NodeId)]) {
        for (name, path) in &list.members {
            let Some(found) = list.field(self.documents.collections, path) else { continue };
            let Some((_, node)) = joined.iter().find(|(join, _)| *join == found.join) else {
                continue;
            };
            let member = self.member(*node, name, found.field);
            // Before the joined nodes and after the existing members.
            let members = &mut self.shape.nodes[*node].members;
            let at = members.iter().position(|one| matches!(one.kind, MemberKind::Unnest(_)));
            members.insert(at.unwrap_or(members.len()), member);
        }
        for (_, node) in joined {
            hide_document(&mut self.shape.nodes[*node]);
        }
    }

    /// A value of a document as a member of its own.
    fn member(&self, node: NodeId, name: &str, field: &DocumentField) -> Member {
        let known = self.shape.nodes[node].members.iter().find_map(|member| match &member.kind {
            MemberKind::Document(document) => {
                let value = document.fields.iter().find(|one| one.path == field.path)?;
                Some((value.clone(), document.column))
            }
            _ => None,
        });
        let (field, document) = known.unwrap_or_else(|| (field.clone(), 0));
        let expr = match (field.column, &field.ty) {
            (Some(column), _) => ColumnRef { node, column }.into(),
            (None, ty) => {
                let value =
                    FieldRef { scope: Scope::Node(node), column: document, path: field.steps() };
                if *ty == Type::Json {
                    Expr::Field(value)
                } else {
                    Expr::Extracted(value, ty.clone())
                }
            }
        };
        let [hidden, absent] = [false; 2];
        let kind = MemberKind::Generated { expr: Box::new(expr), ty: field.ty, hidden, absent };
        Member { name: name.to_owned(), kind }
    }
}

/// The members of a composed response do not include the document itself, nor its key twice.
fn hide_document(node: &mut Node) {
    for member in &mut node.members {
        match &mut member.kind {
            MemberKind::Document(document) => document.shown = false,
            MemberKind::Column(column) => column.hidden = true,
            _ => {}
        }
    }
}
