//! The shape of a table or view that is served by itself.

use std::sync::Arc;

use duet_model::{
    ColumnMember, Member, MemberKind, Node, Operations, Relation, RelationKind, Shape,
};

use crate::definition;

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
