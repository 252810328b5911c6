//! Duality views that show whole documents of collections: which nodes of the shape these are.

use std::sync::Arc;

use duet_collection::Collection;
use duet_model::collection::{DOCUMENT, KEY};
use duet_model::{CollectionDocument, Member, MemberKind, Node, Shape};

/// Marks the nodes of a view whose objects are documents of collections beside other members, and returns their
/// collections by node; none where there is no such node. With one at the top, the view answers as the collection.
pub(crate) fn collections(
    shape: &mut Shape,
    all: &[Arc<Collection>],
) -> Vec<Option<Arc<Collection>>> {
    let found: Vec<_> = shape.nodes.iter_mut().map(|node| mark(node, all)).collect();
    if found.first().is_some_and(Option::is_some) {
        shape.metadata = false;
    }
    if found.iter().all(Option::is_none) { Vec::new() } else { found }
}

fn mark(node: &mut Node, all: &[Arc<Collection>]) -> Option<Arc<Collection>> {
    let table = &node.table;
    let column = |name| table.column_index(name);
    let is_flex = |member: &Member| match &member.kind {
        MemberKind::Flex(flex) => Some(flex.column) == column(DOCUMENT),
        _ => false,
    };
    let is_key = |member: &Member| {
        member.name == KEY
            && matches!(&member.kind, MemberKind::Column(own) if Some(own.column) == column(KEY))
    };
    if !node.members.iter().any(is_flex) || !node.members.iter().any(is_key) {
        return None;
    }
    let collection = all.iter().find(|one| one.declaration().table == table.name)?;
    let document = CollectionDocument { shown: false, spread: true, ..collection.document(table)? };
    node.members
        .push(Member { name: String::new(), kind: MemberKind::Document(Box::new(document)) });
    Some(Arc::clone(collection))
}
