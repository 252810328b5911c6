//! The keys that an application declares for tables and the database does not have: views may join by them as by keys.

use std::borrow::Cow;
use std::sync::Arc;

use duet_model::catalog::{RelationKind, UniqueKey};
use duet_model::{Catalog, Relation};

use super::naming::{self, DeclaredResources};
use crate::definition::{Mount, Resource};

/// The catalog with the declared keys of a mount's tables, which are in this schema where nothing else is said.
pub(super) fn with<'c>(
    catalog: &'c Catalog,
    mount: &Mount,
    declared: &DeclaredResources<'_>,
    schema: &str,
) -> Cow<'c, Catalog> {
    let mut keyed = Cow::Borrowed(catalog);
    for resource in mount.resources.iter().filter(|resource| !resource.key.is_empty()) {
        for relation in naming::called(catalog, resource) {
            let is_own = declared.about(relation).is_some_and(|own| own.name == resource.name)
                && (resource.table.contains('.') || relation.schema == schema);
            let columns = key_of(relation, resource).filter(|columns| {
                is_own && relation.kind == RelationKind::Table && !relation.is_key(columns)
            });
            let Some(columns) = columns else { continue };
            let mut table = Relation::clone(relation);
            table.unique_keys.push(UniqueKey { name: String::new(), columns, is_declared: true });
            let place = catalog.relations.iter().position(|one| Arc::ptr_eq(one, relation));
            if let Some(place) = place {
                keyed.to_mut().relations[place] = Arc::new(table);
            }
        }
    }
    keyed
}

/// The columns of the declared key, which are named as they are served.
fn key_of(relation: &Relation, resource: &Resource) -> Option<Vec<usize>> {
    let column = |name: &String| {
        let own = resource.columns.iter().find(|(_, served)| *served == name);
        relation.column_index(own.map_or(name, |(own, _)| own))
    };
    resource.key.iter().map(column).collect()
}
