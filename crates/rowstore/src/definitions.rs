//! Whether all processes that share versions serve the same definitions.
//!
//! A process makes known which documents a write has changed by the resources that it serves itself. While others
//! serve definitions that are newer or older, as during a rolling reload, it cannot know which of their documents show
//! a row. So each process registers what it serves before it serves it; while there are two definitions of an
//! application, its documents come from the database everywhere, and every change of definitions drops all of them.
//!
//! ```text
//! word  0 …  a process, an application and its definitions, as hashes; a process of 0 makes the place free
//!   12,288   whether a process has found no place: then no documents are of use
//!   12,289 … how often definitions were changed, by the application's hash
//! ```

use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::change_counters::{self, Versions};

/// How many places there are.
const PLACES: usize = 1 << 12;
/// Words of a place.
const PLACE: usize = 3;
/// An application's places are among so many behind its hash.
const NEAR: usize = 64;
const FULL: usize = PLACES * PLACE;
const CHANGES: usize = FULL + 1;
const COUNTERS: usize = 1 << 10;

/// Words of the table.
const WORDS: usize = CHANGES + COUNTERS;
const _: () = assert!(WORDS == change_counters::DEFINITIONS, "the memory has room for the table");

/// The definitions of one application that this process serves, among those of the others.
#[derive(Debug)]
pub struct Definitions {
    versions: Arc<Versions>,
    /// The hash of the application's name, which is never 0.
    application: u32,
    /// The place of this process.
    place: Mutex<Option<usize>>,
    own: AtomicU32,
    /// How often definitions had been changed when all were the same, and 1 more; 0: not known.
    agreed: AtomicU64,
}

impl Definitions {
    /// Those of the application of this name, which it has in every process; none is served yet.
    pub fn new(versions: Arc<Versions>, name: &str) -> Self {
        let application = versions.hash_name(name) | 1;
        let (own, agreed) = (AtomicU32::new(0), AtomicU64::new(0));
        Self { versions, application, place: Mutex::new(None), own, agreed }
    }

    /// Says which definitions this process serves, by a text that is the same in every process; to be called after
    /// writes are followed by them, and before documents are looked up by them.
    pub fn take(&self, definitions: &str) {
        let Some(table) = self.versions.table() else { return };
        let definitions = self.versions.hash_name(definitions);
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() && self.own.load(Ordering::SeqCst) == definitions {
            return;
        }
        self.own.store(definitions, Ordering::SeqCst);
        let is_new = place.is_none();
        *place = place.or_else(|| self.claim(table));
        match *place {
            Some(at) => {
                table[at + 2].store(definitions, Ordering::SeqCst);
                table[at + 1].store(self.application, Ordering::SeqCst);
            }
            None => table[FULL].store(1, Ordering::SeqCst),
        }
        // One more process that serves what all others do changes nothing.
        if !is_new || !self.look(table) {
            self.changes(table).fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A free place, or that of a process that has ended.
    fn claim(&self, table: &[AtomicU32]) -> Option<usize> {
        let own = std::process::id();
        self.near().find(|at| {
            let process = table[*at].load(Ordering::SeqCst);
            let is_free = process == 0 || !is_running(process);
            let claim =
                || table[*at].compare_exchange(process, own, Ordering::SeqCst, Ordering::SeqCst);
            is_free && claim().is_ok()
        })
    }

    /// Where the application's places may be.
    fn near(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.application as usize;
        (0..NEAR).map(move |at| (first + at) % PLACES * PLACE)
    }

    fn changes<'t>(&self, table: &'t [AtomicU32]) -> &'t AtomicU32 {
        &table[CHANGES + (self.application as usize >> 1) % COUNTERS]
    }

    /// How often definitions were changed, by any process.
    pub(crate) fn epoch(&self) -> u32 {
        self.versions.table().map_or(0, |table| self.changes(table).load(Ordering::SeqCst))
    }

    /// Whether all processes serve the same ones.
    pub(crate) fn agree(&self) -> bool {
        let Some(table) = self.versions.table() else { return true };
        let changes = u64::from(self.changes(table).load(Ordering::SeqCst)) + 1;
        if self.agreed.load(Ordering::SeqCst) == changes {
            return true;
        }
        let agree = self.look(table);
        if agree {
            self.agreed.store(changes, Ordering::SeqCst);
        }
        agree
    }

    fn look(&self, table: &[AtomicU32]) -> bool {
        let own = self.own.load(Ordering::SeqCst);
        let differs = |at: usize| {
            let process = table[at].load(Ordering::SeqCst);
            process != 0
                && table[at + 1].load(Ordering::SeqCst) == self.application
                && table[at + 2].load(Ordering::SeqCst) != own
                && is_running(process)
        };
        table[FULL].load(Ordering::SeqCst) == 0 && !self.near().any(differs)
    }
}

impl Drop for Definitions {
    /// The application is served no longer, such as that of a tenant.
    fn drop(&mut self) {
        let place = self.place.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(table), Some(at)) = (self.versions.table(), *place) {
            table[at + 1].store(0, Ordering::SeqCst);
            table[at].store(0, Ordering::SeqCst);
            self.changes(table).fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Whether a process is there; where its number was given to another one, that one counts.
fn is_running(process: u32) -> bool {
    process == std::process::id() || Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapped;
    use crate::{DocumentVersions, FinishedDocument, KeyBytes, Lookup, Rowstore};
    use duet_model::Value;
    use std::time::Instant;

    /// Two processes that share versions.
    fn two() -> [Arc<Versions>; 2] {
        let file = mapped::tests::file(Versions::SHARED_BYTES);
        [0, 1].map(|_| Arc::new(Versions::shared(&file).unwrap()))
    }

    fn of(versions: &Arc<Versions>, name: &str, text: &str) -> Arc<Definitions> {
        let definitions = Definitions::new(Arc::clone(versions), name);
        definitions.take(text);
        Arc::new(definitions)
    }

    #[test]
    fn the_processes_of_an_application_agree_while_their_definitions_are_the_same() {
        let versions = two();
        let [here, there] = versions.each_ref().map(|versions| of(versions, "shop", "one"));
        let other = of(&versions[1], "another", "two");
        assert!(here.agree() && there.agree() && other.agree());
        let before = here.epoch();
        there.take("two");
        assert!(!here.agree() && !there.agree() && other.agree());
        assert_ne!(here.epoch(), before, "all documents are dropped");
        there.take("two");
        here.take("two");
        assert!(here.agree() && there.agree());
        drop(there);
        let third = of(&versions[1], "shop", "three");
        assert!(!here.agree());
        drop(third);
        assert!(here.agree());
    }

    #[test]
    fn a_process_that_has_ended_disagrees_with_none() {
        let [versions, _] = two();
        let here = of(&versions, "shop", "one");
        let table = versions.table().unwrap();
        let gone = here.near().find(|at| table[*at].load(Ordering::SeqCst) == 0).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let words = [child.id(), here.application, 7];
        for (word, value) in table[gone..].iter().zip(words) {
            word.store(value, Ordering::SeqCst);
        }
        child.wait().unwrap();
        here.changes(table).fetch_add(1, Ordering::SeqCst);
        assert!(here.agree());
        // Its place is free again.
        let claimed: Vec<_> = (1..NEAR).map(|_| of(&versions, "shop", "one")).collect();
        assert!(claimed.iter().all(|it| it.agree()));
        // One more finds no place: nothing is of use any more.
        let last = of(&versions, "shop", "one");
        assert!(!last.agree() && !here.agree());
    }

    /// The first process serves a view that the second one does not know, and the second one writes.
    #[test]
    fn documents_that_another_process_does_not_know_are_not_kept() {
        let versions = two();
        let [here, there] = versions.each_ref().map(|versions| of(versions, "shop", "old"));
        let view = |versions: &Arc<Versions>, definitions: &Arc<Definitions>| {
            let view = DocumentVersions::new(Arc::clone(versions), "view");
            Rowstore::new(Arc::new(view.among(definitions)), 1 << 20)
        };
        here.take("new");
        let store = view(&versions[0], &here);
        let (key, now) = (KeyBytes::of(&[Value::Int(1)]), Instant::now());
        let fill = |store: &Rowstore| {
            let Lookup::Miss(fill) = store.look("", &key, now, None) else { panic!("it is kept") };
            store.fill(fill, &key, Some(FinishedDocument { head: b"", body: b"{}" }), now)
        };
        assert!(!fill(&store), "the other process does not say what it changes of it");
        let Lookup::Miss(early) = store.look("", &key, now, None) else { panic!("it is kept") };
        there.take("new");
        let body = Some(FinishedDocument { head: b"", body: b"{}" });
        assert!(!store.fill(early, &key, body, now), "it was read before both served the same");
        assert!(fill(&store));
        assert!(matches!(store.look("", &key, now, None), Lookup::Found(_)));
        view(&versions[1], &there).changed(&key);
        assert!(fill(&store), "the other process says so now");
    }
}
