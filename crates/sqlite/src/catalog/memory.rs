//! What is remembered of a file's relations, so that the next time only those are read that have changed.
//!
//! A relation is what SQLite makes of texts: that of its own statement, those of its indexes and triggers, and for views
//! and virtual tables those of what they name. It is read again where one of these has changed. What it is among others,
//! such as the target of a foreign key, is found anew for it and for those that keys join to it.

use std::collections::{HashMap, HashSet};
use std::hash::RandomState;
use std::sync::Arc;

use duet_model::catalog::Relation;
use duet_store::catalog::effects::TableEffects;

use super::ddl;
use super::foreign_keys::DeclaredForeignKey;
use super::listed::{Kind, Listed};
use super::schema_text::SchemaText;

/// What was read of a file.
#[derive(Debug, Default)]
pub struct Memory {
    /// By name.
    pub(super) entries: Vec<Entry>,
    /// The first number that no relation has had.
    pub(super) numbered: u64,
    /// Hashes texts by a key of its own, so that no two of them can be made to look the same.
    pub(super) hasher: RandomState,
    pub(super) read: usize,
}

impl Memory {
    /// How many relations were read the last time, rather than found unchanged.
    pub fn read(&self) -> usize {
        self.read
    }

    /// Those that are known, by name.
    pub(super) fn by_name(&self) -> HashMap<&str, &Entry> {
        self.entries.iter().map(|entry| (entry.name.as_str(), entry)).collect()
    }
}

/// A relation, or one that cannot be read.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// A number of its own.
    pub(super) number: u64,
    /// The sum of the hashes of the texts that it is made of.
    pub(super) digest: u64,
    /// `None` where it cannot be read.
    pub(super) relation: Option<Arc<Relation>>,
    /// Why it cannot be read.
    pub(super) left_out: Option<String>,
    /// Its foreign keys as they are written.
    pub(super) keys: Arc<[DeclaredForeignKey]>,
    /// What there is to say of these.
    pub(super) notes: Vec<String>,
    /// By what writes reach further.
    pub(super) node: TableEffects,
}

impl Entry {
    /// Takes the relation before, where nothing of it has changed.
    pub(super) fn share(&mut self, before: Option<&Self>) {
        let known = before.and_then(|before| before.relation.as_ref());
        let (Some(known), Some(relation)) = (known, &mut self.relation) else { return };
        if !Arc::ptr_eq(known, relation) && known == relation {
            *relation = Arc::clone(known);
        }
    }
}

/// Which of these relations must be read: those whose digest is not the one that is known, and views and virtual tables
/// that name one of these, or one that is gone.
pub(super) fn outdated<'l>(
    listed: &'l [(Listed, u64)],
    known: &HashMap<&str, &'l Entry>,
    text: &SchemaText,
) -> HashSet<&'l str> {
    let is_known = |(one, digest): &&(Listed, u64)| {
        known.get(one.name.as_str()).is_some_and(|known| known.digest == *digest)
    };
    let names: HashSet<&str> = listed.iter().map(|(one, _)| one.name.as_str()).collect();
    let mut outdated: HashSet<&str> =
        listed.iter().filter(|one| !is_known(one)).map(|(one, _)| one.name.as_str()).collect();
    let gone = known.values().map(|entry| entry.name.as_str());
    let gone: Vec<&str> = gone.filter(|name| !names.contains(name)).collect();
    let mut changed: Vec<String> =
        outdated.iter().chain(&gone).map(|name| name.to_ascii_lowercase()).collect();
    if changed.is_empty() || known.is_empty() {
        return outdated;
    }
    let mut naming: HashMap<String, Vec<&str>> = HashMap::new();
    for (one, _) in listed.iter().filter(|(one, _)| one.kind != Kind::Table) {
        for (name, _) in ddl::words(text.made_by(&one.name)) {
            naming.entry(name).or_default().push(&one.name);
        }
    }
    while let Some(name) = changed.pop() {
        for user in naming.get(&name).into_iter().flatten() {
            if outdated.insert(user) {
                changed.push(user.to_ascii_lowercase());
            }
        }
    }
    outdated
}
