//! Commit classes: when a write is answered, and with which other writes it is committed.
//!
//! A write knows nothing of its class: the caller's handle on the store carries it. PostgreSQL sets
//! `synchronous_commit` within the transaction. SQLite takes `PRAGMA synchronous` only between
//! transactions, so a shared one has the strongest class of its writes. `ingest` and `memory` are
//! the journal's: with `memory` it acknowledges rows that are written and not synced.

/// When a write is answered; the weaker ones come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommitClass {
    /// When its rows are in memory. A power failure loses them; they are written to the database later.
    Memory,
    /// When it is committed, before the database has synced it. A crash of the database or a power failure
    /// loses the last moments.
    Async,
    /// When its rows are synced in the journal; they are written to the database later.
    Ingest,
    /// When it is committed and synced, together with others that wait at that moment.
    #[default]
    Group,
    /// When it is committed and synced, in a transaction of its own.
    Sync,
}

impl CommitClass {
    /// All of them, the weakest first.
    pub const ALL: [Self; 5] = [Self::Memory, Self::Async, Self::Ingest, Self::Group, Self::Sync];

    /// Its name in requests and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Async => "async",
            Self::Ingest => "ingest",
            Self::Group => "group",
            Self::Sync => "sync",
        }
    }

    /// The class of a name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name().eq_ignore_ascii_case(name))
    }

    /// Whether its rows go through the journal.
    pub fn is_journaled(self) -> bool {
        matches!(self, Self::Memory | Self::Ingest)
    }

    /// The class of its transaction, if the journal does not take its rows.
    #[must_use]
    pub fn in_database(self) -> Self {
        if self.is_journaled() { Self::Group } else { self }
    }
}

/// The commit classes of a resource: its own, and those that requests may ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitPolicy {
    /// The class of requests that ask for none.
    pub class: CommitClass,
    /// The weaker classes that a request may ask for, where the application lists them.
    pub allowed: Option<Vec<CommitClass>>,
}

impl CommitPolicy {
    /// Whether a request may ask for a class: one that is not weaker than the resource's, and one that the
    /// application allows. Without a list, a resource of the default class allows the journal, where the
    /// database is prepared for it.
    pub fn allows(&self, class: CommitClass) -> bool {
        class >= self.class
            || match &self.allowed {
                Some(allowed) => allowed.contains(&class),
                None => class == CommitClass::Ingest && self.class == CommitClass::Group,
            }
    }

    /// What a request may ask for, the weakest first.
    pub fn choices(&self) -> impl Iterator<Item = CommitClass> {
        CommitClass::ALL.into_iter().filter(|class| self.allows(*class))
    }
}

#[cfg(test)]
mod tests {
    use CommitClass::{Async, Group, Ingest, Memory, Sync};

    use super::*;

    #[test]
    fn names_are_read_in_any_case() {
        for class in CommitClass::ALL {
            assert_eq!(CommitClass::named(&class.name().to_uppercase()), Some(class));
        }
        assert_eq!(CommitClass::named("never"), None);
    }

    #[test]
    fn weaker_classes_are_locked_by_default() {
        let choices = |class, allowed: Option<&[CommitClass]>| -> Vec<CommitClass> {
            let allowed = allowed.map(<[_]>::to_vec);
            CommitPolicy { class, allowed }.choices().collect()
        };
        assert_eq!(choices(Group, None), [Ingest, Group, Sync]);
        assert_eq!(choices(Group, Some(&[])), [Group, Sync]);
        assert_eq!(choices(Group, Some(&[Async])), [Async, Group, Sync]);
        assert_eq!(choices(Group, Some(&[Memory])), [Memory, Group, Sync]);
        assert_eq!(choices(Sync, None), [Sync]);
        assert_eq!(choices(Sync, Some(&[Group])), [Group, Sync]);
        assert_eq!(choices(Async, None), [Async, Ingest, Group, Sync]);
        assert_eq!(choices(Ingest, None), [Ingest, Group, Sync]);
    }
}
