//! Views with the keys of the tables that they read, in profiles whose clients know them so.

use std::borrow::Cow;
use std::sync::Arc;

use duet_model::catalog::{Effects, Reach, UniqueKey, ViewKeys, ViewWrites};
use duet_model::{Catalog, MemberKind, Operations, Relation, Shape};

use super::domains;
use crate::resources::key_ways::positions;

/// The catalog with the keys of the views of a schema, and then with the columns of domains, which are no part of keys.
pub(super) fn with<'c>(mut catalog: Cow<'c, Catalog>, schema: &str) -> Cow<'c, Catalog> {
    let views: Vec<ViewKeys> =
        catalog.view_keys.iter().filter(|one| one.view.schema == schema).cloned().collect();
    for keys in views {
        let place = catalog
            .relations
            .binary_search_by(|one| {
                (&one.schema, &one.name).cmp(&(&keys.view.schema, &keys.view.name))
            })
            .ok();
        let Some(place) = place else { continue };
        let keyed = Arc::new(keyed(&catalog.relations[place], &keys));
        catalog.to_mut().relations[place] = keyed;
    }
    domains::with(catalog, schema)
}

/// A view with its keys. What is written through it becomes of other rows too.
fn keyed(view: &Relation, keys: &ViewKeys) -> Relation {
    let mut view = view.clone();
    view.primary_key = positions(&view, &keys.primary_key).unwrap_or_default();
    for end in keys.ends.iter().filter(|end| end.is_unique) {
        let known = |columns: &Vec<usize>| !view.is_key(columns);
        if let Some(columns) = positions(&view, &end.columns).filter(known) {
            // The database keeps it as a key of the table, and knows none of the view.
            view.unique_keys.push(UniqueKey { name: String::new(), columns, is_declared: true });
        }
    }
    if keys.writes != ViewWrites::default() {
        let all = || Reach::Everything;
        let held_by = Arc::clone(&view.effects.held_by);
        view.effects =
            Effects { insert: all(), update: all(), follow: all(), delete: all(), held_by };
    }
    view
}

/// A shape as it is where its relation is a view with keys: it takes the writes of that.
pub(super) fn written(mut shape: Shape, keys: Option<&ViewKeys>) -> Shape {
    let (Some(keys), Some(node)) = (keys, shape.nodes.first_mut()) else { return shape };
    let ViewWrites { insert, update, delete } = keys.writes;
    node.operations = Operations { insert, update, delete };
    for member in &mut node.members {
        if let MemberKind::Column(column) = &mut member.kind {
            column.update = update && !column.hidden;
        }
    }
    shape
}
