//! The columns and embeds of one node, by the names that conditions and orders use.

use std::collections::BTreeMap;

use duet_filter::postgrest::{Columns, NativeKind};
use duet_model::shape::Field;
use duet_model::{ColumnMember, Expr, FieldRef, MemberKind, Type};

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

    fn native_kind(&self, name: &str) -> Option<NativeKind> {
        if !self.resource.dialect().has_native_tests() {
            return None;
        }
        let member = member(self.resource, name)?;
        let column = &self.resource.shape.root().table.columns[member.column];
        Some(match (&column.ty, column.declared.as_str()) {
            _ if column.ranges => NativeKind::Range,
            (_, "tsvector") => NativeKind::Words,
            (Type::Json, "json") => NativeKind::Json,
            (Type::Json, _) => NativeKind::Jsonb,
            (Type::Array(_), _) => NativeKind::Array,
            (ty, _) if ty.is_text() => NativeKind::Text,
            _ => NativeKind::Other,
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
