//! The foreign keys of a moment: a definition that joins tables by them must not become ambiguous
//! because another one is added.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_model::catalog::ForeignKey;
use duet_model::{Catalog, Relation};

/// Foreign keys, each as the columns on both sides.
pub(crate) type Links = BTreeSet<String>;

/// All foreign keys of a catalog.
pub(crate) fn all(catalog: &Catalog) -> Links {
    let of = |relation: &Arc<Relation>| {
        let relation = Arc::clone(relation);
        (0..relation.foreign_keys.len())
            .map(move |key| link(&relation, &relation.foreign_keys[key]))
    };
    catalog.relations.iter().flat_map(of).collect()
}

/// The same catalog with these foreign keys only.
pub(crate) fn only(catalog: &Catalog, known: &Links) -> Catalog {
    let restricted = |relation: &Arc<Relation>| {
        let mut copy = Relation::clone(relation);
        copy.foreign_keys.retain(|key| known.contains(&link(relation, key)));
        Arc::new(copy)
    };
    Catalog {
        relations: catalog.relations.iter().map(restricted).collect(),
        routines: catalog.routines.clone(),
        media_aggregates: catalog.media_aggregates.clone(),
        partition_keys: catalog.partition_keys.clone(),
        view_keys: catalog.view_keys.clone(),
        ..Catalog::default()
    }
}

fn link(relation: &Relation, key: &ForeignKey) -> String {
    let columns: Vec<&str> =
        key.columns.iter().map(|&column| relation.columns[column].name.as_str()).collect();
    format!(
        "{:?}.{:?}{columns:?} -> {:?}.{:?}{:?}",
        relation.schema,
        relation.name,
        key.references_schema,
        key.references_table,
        key.references_columns
    )
}
