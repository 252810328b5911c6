//! The columns and embeds of one node, by the names that conditions and orders use.

use std::collections::BTreeMap;

use duet_filter::postgrest::Columns;
use duet_model::shape::Field;
use duet_model::{ColumnMember, Expr, FieldRef, MemberKind};

use crate::resources::resource::Resource;

/// The columns of the rows of a resource.
pub(super) struct NodeColumns<'a> {
    pub(super) resource: &'a Resource,
    /// The rows of embeds by their keys: whether there are any.
    pub(super) embeds: &'a BTreeMap<String, Expr>,
}

impl Columns for NodeColumns<'_> {
    fn column(&self, name: &str) -> Option<Field> {
        let member = member(self.resource, name)?;
        let shape = &self.resource.shape;
        let column = &shape.root().table.columns[member.column];
        Some(Field {
            path: name.to_owned(),
            value: Expr::Field(FieldRef::row(member.column)),
            ty: column.ty.clone(),
            repeated: false,
            generated: false,
            ranges: column.ranges,
            folding: Default::default(),
            style: shape.style,
        })
    }

    fn embed(&self, name: &str) -> Option<Expr> {
        self.embeds.get(name).cloned()
    }

    fn table(&self) -> &str {
        &self.resource.name
    }
}

/// The column of a name that a resource shows.
pub(super) fn member<'r>(resource: &'r Resource, name: &str) -> Option<&'r ColumnMember> {
    let members = &resource.shape.root().members;
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Column(column) if !column.hidden && member.name == name => Some(column),
        _ => None,
    })
}
