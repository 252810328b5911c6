//! Names as served: aliases of the application, lower case otherwise, and what to do where two
//! names clash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use duet_model::{Catalog, Relation, name};

use crate::definition::{Mount, Resource};

/// Names that mean something of their own below a mount.
pub(crate) const RESERVED: [&str; 6] =
    ["_", "oauth", "metadata-catalog", "open-api-catalog", "batchload", "search"];

/// The relations of a mount's schema with the names that they and their columns are served under.
pub(crate) fn name_relations(
    catalog: &Catalog,
    schema: &str,
    mount: &Mount,
    notes: &mut Vec<String>,
) -> Catalog {
    let mut taken = BTreeMap::new();
    let mut relations = Vec::new();
    for relation in &catalog.relations {
        let declared = mount.resources.iter().find(|resource| names(resource, relation));
        let mut named = Relation::clone(relation);
        name_columns(&mut named, declared, notes);
        let alias = match declared {
            Some(resource) => resource.name.clone(),
            None => name::served(&named.name),
        };
        // Relations of other schemas are there for views; only this schema's take names.
        if relation.schema == schema || declared.is_some() {
            named.alias = Some(free_name(alias, &named, &mut taken, notes));
        } else {
            named.alias = Some(alias);
        }
        relations.push(Arc::new(named));
    }
    Catalog { relations, routines: catalog.routines.clone(), notes: catalog.notes.clone() }
}

/// Whether a resource of the application is about this relation.
pub(crate) fn names(resource: &Resource, relation: &Relation) -> bool {
    let (schema, table) = match resource.table.split_once('.') {
        Some((schema, table)) => (Some(schema), table),
        None => (None, resource.table.as_str()),
    };
    let same = |a: &str, b: &str| a == b || a.to_lowercase() == b.to_lowercase();
    schema.is_none_or(|schema| same(schema, &relation.schema)) && same(table, &relation.name)
}

fn free_name(
    alias: String,
    relation: &Relation,
    taken: &mut BTreeMap<String, String>,
    notes: &mut Vec<String>,
) -> String {
    let Some(other) = taken.get(&alias) else {
        taken.insert(alias.clone(), relation.name.clone());
        return alias;
    };
    notes.push(format!(
        "{}.{} and {other} are both served as {alias:?}: the first keeps its exact spelling. Give one of them a name in app.toml.",
        relation.schema, relation.name
    ));
    taken.insert(relation.name.clone(), relation.name.clone());
    relation.name.clone()
}

fn name_columns(relation: &mut Relation, declared: Option<&Resource>, notes: &mut Vec<String>) {
    let mut taken = BTreeSet::new();
    for index in 0..relation.columns.len() {
        let column = &relation.columns[index];
        let alias = declared
            .and_then(|resource| resource.columns.get(&column.name).cloned())
            .unwrap_or_else(|| name::served(&column.name));
        let served = if taken.contains(&alias) {
            notes.push(format!(
                "Two columns of {}.{} are served as {alias:?}: {:?} keeps its exact spelling. Give it a name in app.toml.",
                relation.schema, relation.name, column.name
            ));
            column.name.clone()
        } else {
            alias
        };
        taken.insert(served.clone());
        relation.columns[index].alias = Some(served);
    }
}
