//! Ways from a view to a table or another view, and back, by the foreign keys of the tables that views read.

use std::collections::HashMap;
use std::sync::Arc;

use duet_model::catalog::{KeyName, KeySide, RelationName, ViewKeys};
use duet_model::{Relation, steps};

use super::expandable::Expandable;
use super::resource::{Resource, ResourceKind};

/// A foreign key as a way to other rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyWay {
    pub(crate) way: Expandable,
    /// The name of the key.
    pub(crate) key: String,
}

/// The ways of the resources of a mount, by their names.
pub(crate) type KeyWays = HashMap<String, Vec<KeyWay>>;

/// A table or a view with one end of a key.
struct End {
    resource: usize,
    columns: Vec<usize>,
    is_view: bool,
}

/// What has an end of a key.
#[derive(Default)]
struct Ends {
    referring: Vec<End>,
    referenced: Vec<End>,
}

/// The keys of which views have an end, with all that have one.
#[derive(Default)]
struct Keys<'a> {
    by_name: HashMap<&'a KeyName, Ends>,
    /// The tables that these refer to, with the columns.
    targets: HashMap<&'a RelationName, Vec<(&'a KeyName, &'a [String])>>,
}

/// The positions of all the columns that the database calls so; `None` where one is missing, or there are none.
pub(crate) fn positions(table: &Relation, names: &[String]) -> Option<Vec<usize>> {
    let position = |name: &String| table.columns.iter().position(|own| own.name == *name);
    let found: Option<Vec<usize>> = names.iter().map(position).collect();
    found.filter(|found| !found.is_empty())
}

/// The ways of which at least one end is a view.
pub(crate) fn of_views(resources: &[Arc<Resource>], views: &[ViewKeys]) -> KeyWays {
    let named: HashMap<(&str, &str), &ViewKeys> =
        views.iter().map(|one| ((&*one.view.schema, &*one.view.name), one)).collect();
    let mut keys = Keys::default();
    if named.is_empty() {
        return KeyWays::new();
    }
    let relations = || resources.iter().map(|one| one.shape.root().table.as_ref()).enumerate();
    for (at, view) in relations().filter(|(at, _)| resources[*at].kind == ResourceKind::View) {
        let own = named.get(&(view.schema.as_str(), view.name.as_str()));
        own.into_iter().for_each(|own| keys.add_view(at, view, own));
    }
    for (at, table) in relations().filter(|(at, _)| resources[*at].kind == ResourceKind::Table) {
        keys.add_table(at, table);
    }
    let mut ways = KeyWays::new();
    let mut by_key: Vec<(&KeyName, Ends)> = keys.by_name.into_iter().collect();
    by_key.sort_by(|one, other| one.0.cmp(other.0));
    for (key, ends) in &by_key {
        for from in &ends.referring {
            let others = ends.referenced.iter().filter(|to| from.is_view || to.is_view);
            others.for_each(|to| add(&mut ways, resources, &key.name, from, to));
        }
    }
    ways
}

impl<'a> Keys<'a> {
    fn add_view(&mut self, resource: usize, view: &Relation, keys: &'a ViewKeys) {
        for end in &keys.ends {
            steps::step();
            let Some(columns) = positions(view, &end.columns) else { continue };
            let is_new = !self.by_name.contains_key(&end.key);
            let ends = self.by_name.entry(&end.key).or_default();
            let side = match end.side {
                KeySide::Referring => &mut ends.referring,
                KeySide::Referenced => &mut ends.referenced,
            };
            side.push(End { resource, columns, is_view: true });
            if is_new {
                let targets = self.targets.entry(&end.references).or_default();
                targets.push((&end.key, &end.references_columns));
            }
        }
    }

    fn add_table(&mut self, resource: usize, table: &Relation) {
        let name = RelationName { schema: table.schema.clone(), name: table.name.clone() };
        for key in &table.foreign_keys {
            steps::step();
            let key_name = KeyName { table: name.clone(), name: key.name.clone() };
            if let Some(ends) = self.by_name.get_mut(&key_name) {
                let columns = key.columns.clone();
                ends.referring.push(End { resource, columns, is_view: false });
            }
        }
        for (key, columns) in self.targets.get(&name).into_iter().flatten() {
            let columns = positions(table, columns);
            if let (Some(columns), Some(ends)) = (columns, self.by_name.get_mut(key)) {
                ends.referenced.push(End { resource, columns, is_view: false });
            }
        }
    }
}

/// Adds the way along a key, and the way back.
fn add(ways: &mut KeyWays, resources: &[Arc<Resource>], key: &str, from: &End, to: &End) {
    for (own, other, many) in [(from, to, false), (to, from, true)] {
        let name = &resources[other.resource].name;
        let columns = [own.columns.clone(), other.columns.clone()];
        let way = KeyWay { way: Expandable::along(name, many, columns), key: key.to_owned() };
        ways.entry(resources[own.resource].name.clone()).or_default().push(way);
    }
}
