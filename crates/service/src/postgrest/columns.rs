//! The columns and embeds of one node, by the names that conditions and orders use.

use std::collections::BTreeMap;

use duet_filter::postgrest::{Columns, NativeKind};
use duet_model::shape::Field;
use duet_model::{ColumnMember, Comparability, Expr, FieldRef, MemberKind, Type};

use crate::resources::resource::Resource;

/// The columns of the rows of a resource.
pub(super) struct NodeColumns<'a> {
    pub(super) resource: &'a Resource,
    /// The rows of embeds by their keys: whether there are any.
    pub(super) embeds: &'a BTreeMap<String, Expr>,
    /// Whether the caller may run the function that computes a field.
    pub(super) runs: &'a dyn Fn(&str) -> bool,
}

impl Columns for NodeColumns<'_> {
    fn column(&self, name: &str) -> Option<Field> {
        let member = member(self.resource, name)?;
        let shape = &self.resource.shape;
        let column = &shape.root().table.columns[member.column];
        if column.computed_by.is_some() && !(self.runs)(name) {
            return None;
        }
        Some(Field {
            path: name.to_owned(),
            value: Expr::Field(FieldRef::row(member.column)),
            ty: column.ty.clone(),
            repeated: false,
            generated: false,
            ranges: column.ranges,
            loose: column.loose_equality,
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
            _ if column.is_vector() => NativeKind::Words,
            (Type::Json, "json") => NativeKind::Json,
            (Type::Json, _) => NativeKind::Jsonb,
            (Type::Array(_), _) => NativeKind::Array,
            // Composite values, and others that are no texts either.
            (Type::Native(native), _) if native.comparison == Comparability::None => {
                NativeKind::Other
            }
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

/// The column of a name that a resource shows, or that a function of its rows computes.
pub(super) fn member<'r>(resource: &'r Resource, name: &str) -> Option<&'r ColumnMember> {
    let node = resource.shape.root();
    let is_computed = |column: usize| node.table.columns[column].computed_by.is_some();
    node.members.iter().find_map(|member| match &member.kind {
        MemberKind::Column(column)
            if member.name == name && (!column.hidden || is_computed(column.column)) =>
        {
            Some(column)
        }
        _ => None,
    })
}
