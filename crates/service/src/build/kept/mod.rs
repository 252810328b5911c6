//! What a snapshot takes over from the one before it, so that a reload does the work of what has changed: the resources of
//! relations that are the same, with what was found of them among others.
//!
//! A relation is the same where it is one allocation with that before: introspection shares what it finds unchanged. All
//! else that a resource is made of is the application and the dialect; where these differ, nothing is taken over.

mod links;
mod ways;

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

use duet_model::TableRef;
use foldhash::fast::RandomState;

use super::mount::Mount;
use crate::resources::resource::{Resource, ResourceKind};

pub(crate) use links::OutdatedLinks;
pub(crate) use ways::OutdatedWays;

/// Schemas and names of tables, as the database has them.
type TableNames<'a> = HashSet<(&'a str, &'a str), RandomState>;

/// A resource of a snapshot that is being built.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Made for this snapshot.
    Made(Box<Resource>),
    /// That of the snapshot before.
    Kept(Arc<Resource>),
}

impl Deref for Entry {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        match self {
            Self::Made(made) => made,
            Self::Kept(kept) => kept,
        }
    }
}

impl Entry {
    /// The resource of a relation in the mount before, if it was made of just this one.
    pub(crate) fn of_relation(
        before: &Mount,
        kind: ResourceKind,
        relation: &TableRef,
    ) -> Option<Self> {
        let known = before.resources.get(&relation.served_name())?;
        let is_same = known.kind == kind
            && Arc::ptr_eq(&known.shape.root().table, relation)
            && known.assigned.is_empty();
        is_same.then(|| Self::Kept(Arc::clone(known)))
    }

    /// Changes it; one that was kept is made once more.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Resource)) {
        match self {
            Self::Made(made) => change(made),
            Self::Kept(kept) => {
                let mut made = Box::new(kept.anew());
                change(&mut made);
                *self = Self::Made(made);
            }
        }
    }

    /// Whether it is the one of the snapshot before.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self, Self::Kept(_))
    }

    /// The finished resource.
    pub(crate) fn finished(self) -> Arc<Resource> {
        match self {
            Self::Made(made) => Arc::from(made),
            Self::Kept(kept) => kept,
        }
    }

    /// Its table's schema and name, where it is a table.
    fn table_name(&self) -> Option<(&str, &str)> {
        table_name(self)
    }
}

/// The schema and name of the table that a resource is made of.
fn table_name(resource: &Resource) -> Option<(&str, &str)> {
    let table = &resource.shape.root().table;
    (resource.kind == ResourceKind::Table).then_some((&table.schema, &table.name))
}

/// The tables of the mount before that are made anew, or are gone.
fn replaced<'a>(entries: &[Entry], before: &'a Mount) -> Vec<&'a Resource> {
    let kept: HashSet<*const Resource, RandomState> =
        entries.iter().filter(|entry| entry.is_kept()).map(|entry| &raw const **entry).collect();
    let tables = before.listed.iter().filter(|one| one.kind == ResourceKind::Table);
    tables.filter(|one| !kept.contains(&Arc::as_ptr(one))).map(|one| &**one).collect()
}

/// The places of resources in the metrics. A resource keeps its place, and no other one has it in the next snapshot: while
/// a generation lasts, its resources are known by these.
#[derive(Debug, Default)]
pub(crate) struct Places {
    used: Vec<bool>,
    next: usize,
}

impl Places {
    /// Those that are free beside the resources before.
    pub(crate) fn beside<'r>(before: impl Iterator<Item = &'r Arc<Resource>>) -> Self {
        let mut used = Vec::new();
        for resource in before {
            if used.len() <= resource.index {
                used.resize(resource.index + 1, false);
            }
            used[resource.index] = true;
        }
        Self { used, next: 0 }
    }

    /// The place of a resource: that which it had, or a free one.
    pub(crate) fn of(&mut self, before: Option<&Arc<Resource>>) -> usize {
        if let Some(before) = before {
            return before.index;
        }
        while self.used.get(self.next).copied().unwrap_or_default() {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}
