//! The remarks on columns that lead nowhere, table by table, and which of them must be found anew: those of tables that are
//! made anew, and of tables with a column that has the name of a key which is new, changed or gone.

use std::mem::{Discriminant, discriminant};

use duet_model::{Column, Type};

use super::{Entry, replaced};
use crate::build::mount::Mount;
use crate::resources::resource::{Resource, ResourceKind};

/// How many keys may have changed before all tables are looked at, rather than each for each key.
const MOST_KEYS: usize = 16;

/// What has changed of the keys that columns may be named after.
#[derive(Debug)]
pub(crate) struct OutdatedLinks {
    keys: Vec<Key>,
    all: bool,
}

/// A key of one column, as far as it decides what is remarked of other tables.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    /// The names of the table and of the column in lower case.
    table: String,
    column: String,
    ty: Discriminant<Type>,
    /// The same as they are served.
    served: [String; 2],
}

impl Key {
    fn of(resource: &Resource) -> Option<Self> {
        let table = &resource.shape.root().table;
        let [key] = table.primary_key[..] else { return None };
        let column = &table.columns[key];
        (resource.kind == ResourceKind::Table).then(|| Self {
            table: table.name.to_lowercase(),
            column: column.name.to_lowercase(),
            ty: discriminant(&column.ty),
            served: [resource.name.clone(), column.served_name()],
        })
    }

    /// Whether a column may have the name of this key, or that with the name of its table in front.
    fn may_be_named_by(&self, column: &Column) -> bool {
        let tail = column.name.len().checked_sub(self.column.len());
        let tail = tail.and_then(|at| column.name.get(at..));
        if column.name.is_ascii()
            && !tail.is_some_and(|tail| tail.eq_ignore_ascii_case(&self.column))
        {
            return false;
        }
        let name = column.name.to_lowercase();
        let singular = self.table.strip_suffix('s').unwrap_or(&self.table);
        name == self.column || name.starts_with(singular)
    }
}

impl OutdatedLinks {
    /// Among these resources, by the mount before.
    pub(crate) fn of(entries: &[Entry], before: Option<&Mount>) -> Self {
        let Some(before) = before else { return Self { keys: Vec::new(), all: true } };
        let made = entries.iter().filter(|entry| !entry.is_kept());
        let mut keys: Vec<Key> = made.filter_map(|entry| Key::of(entry)).collect();
        for old in replaced(entries, before).into_iter().filter_map(Key::of) {
            match keys.iter().position(|key| *key == old) {
                Some(same) => drop(keys.swap_remove(same)),
                None => keys.push(old),
            }
            if keys.len() > 2 * MOST_KEYS {
                break;
            }
        }
        let all = keys.len() > MOST_KEYS;
        Self { keys, all }
    }

    /// Whether the remarks on a table must be found anew.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let columns = &entry.shape.root().table.columns;
        let named = |key: &Key| columns.iter().any(|column| key.may_be_named_by(column));
        self.all || !entry.is_kept() || self.keys.iter().any(named)
    }
}
