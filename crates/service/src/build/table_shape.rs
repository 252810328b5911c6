//! The shape of a table or view that is a resource of its own.

use std::sync::Arc;

use duet_model::{Member, MemberKind, Relation, Shape};

use crate::definition;

/// The shape of a table or view that is a resource: one node, every column a member.
pub(crate) fn table_shape(
    relation: &Arc<Relation>,
    declared: Option<&definition::Resource>,
) -> Shape {
    let hidden: Vec<usize> = declared
        .iter()
        .flat_map(|resource| &resource.hidden)
        .filter_map(|name| relation.column_index(name))
        .collect();
    let mut shape = Shape::of_relation(relation);
    let is_shown = |member: &Member| match &member.kind {
        MemberKind::Column(column) => !hidden.contains(&column.column),
        _ => true,
    };
    shape.nodes[0].members.retain(is_shown);
    Shape { key: key_of(relation, declared), ..shape }
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
