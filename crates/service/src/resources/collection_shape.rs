//! The shape of a collection: the key of its documents, and the documents as they are stored.

use std::sync::Arc;

use duet_collection::Collection;
use duet_model::collection::KEY;
use duet_model::{ColumnMember, Member, MemberKind, Relation, Shape};

/// Documents in a list where the request does not say.
pub(crate) const COLLECTION_PAGE: u64 = 10;

/// The shape of a collection over its table; `None` where the table lacks the key or the document.
pub(crate) fn collection_shape(collection: &Collection, relation: &Arc<Relation>) -> Option<Shape> {
    let key = relation.column_index(KEY)?;
    let document = collection.document(relation)?;
    let mut shape = Shape::of_relation(relation);
    shape.name.clone_from(&collection.declaration().name);
    let id = ColumnMember { hidden: true, ..ColumnMember::read_only(key) };
    shape.nodes[0].members = vec![
        Member { name: KEY.to_owned(), kind: MemberKind::Column(id) },
        Member { name: String::new(), kind: MemberKind::Document(Box::new(document)) },
    ];
    Some(Shape { key: vec![key], ..shape })
}
