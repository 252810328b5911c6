//! The tables whose ways to related rows must be found anew: those that are made anew, and those at the other end of a
//! foreign key of one that is, or that was and is gone.

use duet_model::Relation;

use super::{Entry, TableNames, replaced, table_name};
use crate::build::mount::Mount;

/// The tables of which another table has changed that `expand=` may lead to.
#[derive(Debug)]
pub(crate) struct OutdatedWays<'a> {
    /// Tables that are made anew, and those before that are not served as they were.
    changed: TableNames<'a>,
    /// Tables that keys of those lead to.
    reached: TableNames<'a>,
}

impl<'a> OutdatedWays<'a> {
    /// Among these resources, by the mount before.
    pub(crate) fn of(entries: &'a [Entry], before: Option<&'a Mount>) -> Self {
        let made = entries.iter().filter(|entry| !entry.is_kept()).map(|entry| &**entry);
        let replaced = before.map_or_else(Vec::new, |before| replaced(entries, before));
        let mut found = Self { changed: TableNames::default(), reached: TableNames::default() };
        for resource in made.chain(replaced) {
            found.changed.extend(table_name(resource));
            found.reached.extend(targets(&resource.shape.root().table));
        }
        found
    }

    /// Whether the ways out of a table must be found anew.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let leads_to = |name: &(&str, &str)| self.changed.contains(name);
        !entry.is_kept()
            || entry.table_name().is_some_and(|own| self.reached.contains(&own))
            || targets(&entry.shape.root().table).any(|target| leads_to(&target))
    }
}

/// The tables that the keys of a table lead to.
fn targets(table: &Relation) -> impl Iterator<Item = (&str, &str)> {
    table.foreign_keys.iter().map(|key| (&*key.references_schema, &*key.references_table))
}
