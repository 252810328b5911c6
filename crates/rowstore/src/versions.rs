//! What has changed of one resource's documents: stamps of what was read, by counters that processes may share.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::quality::SeedableRandomState;

use crate::change_counters::Versions;
use crate::definitions::Definitions;
use crate::key::KeyBytes;

/// The versions of one resource's documents.
#[derive(Debug)]
pub struct DocumentVersions {
    versions: Arc<Versions>,
    hasher: SeedableRandomState,
    /// The hash of the resource's name.
    resource: u64,
    /// How often this process alone has dropped all documents.
    drops: AtomicU32,
    /// Those of the resource's application.
    definitions: Option<Arc<Definitions>>,
}

/// What has changed until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// How often all documents of the resource had been dropped.
    pub(crate) epoch: u32,
    /// The version of the key.
    pub(crate) version: u32,
}

impl DocumentVersions {
    /// Those of the resource of this name, which it has in every process.
    pub fn new(versions: Arc<Versions>, name: &str) -> Self {
        let resource = SeedableRandomState::with_seed(0, versions.seed).hash_one(name);
        let hasher = SeedableRandomState::with_seed(resource, versions.seed);
        Self { versions, hasher, resource, drops: AtomicU32::new(0), definitions: None }
    }

    /// The same of a resource of the application of these definitions: it is of use only while all processes serve the
    /// same ones.
    #[must_use]
    pub fn among(self, definitions: &Arc<Definitions>) -> Self {
        Self { definitions: Some(Arc::clone(definitions)), ..self }
    }

    /// Whether what has changed is known: all processes serve the same definitions of the application.
    pub fn are_known(&self) -> bool {
        self.definitions.as_ref().is_none_or(|definitions| definitions.agree())
    }

    /// The counters that they are among.
    pub fn all(&self) -> &Arc<Versions> {
        &self.versions
    }

    /// The document of a key has changed, in every representation. To be called after the commit and
    /// before the write is answered.
    pub fn changed(&self, key: &KeyBytes) {
        self.versions.key(self.hash(key.bytes())).fetch_add(1, Ordering::SeqCst);
    }

    /// Any document may have changed.
    pub fn changed_all(&self) {
        self.versions.resource(self.resource).fetch_add(1, Ordering::SeqCst);
    }

    /// Any document may have changed by what every process that shares the counters learns by itself.
    pub fn changed_all_here(&self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn hash(&self, value: impl std::hash::Hash) -> u64 {
        self.hasher.hash_one(value)
    }

    /// What has changed until now, for a key with this hash.
    ///
    /// Rows that are read after this call are those of this stamp or of a later one: a write raises a counter
    /// after its commit and before its answer. Counters are added, as each of them only grows: the sum is
    /// the same while all are.
    pub(crate) fn stamp(&self, hash: u64) -> Stamp {
        let epoch = self.epoch();
        Stamp { epoch, version: self.versions.key(hash).load(Ordering::SeqCst) }
    }

    /// How often all documents were dropped.
    pub(crate) fn epoch(&self) -> u32 {
        let shared = self.versions.resource(self.resource).load(Ordering::SeqCst);
        let ended = self.versions.ended();
        let changes = self.definitions.as_ref().map_or(0, |definitions| definitions.epoch());
        let drops = self.drops.load(Ordering::SeqCst).wrapping_add(shared);
        drops.wrapping_add(ended).wrapping_add(changes)
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Value;

    use super::*;
    use crate::change_counters::RESOURCE_COUNTERS;
    use crate::mapped;

    fn key(value: i64) -> KeyBytes {
        KeyBytes::of(&[Value::Int(value)])
    }

    fn stamp(of: &DocumentVersions, value: i64) -> Stamp {
        of.stamp(of.hash(key(value).bytes()))
    }

    #[test]
    fn processes_share_what_changes() {
        let file = mapped::tests::file(Versions::SHARED_BYTES);
        let process = || Arc::new(Versions::shared(&file).unwrap());
        let [first, second] = [process(), process()];
        assert!(first.are_shared() && !second.are_in_use());
        first.use_them();
        assert!(second.are_in_use());
        let [here, there] = [first, second].map(|all| DocumentVersions::new(all, "/hr/team"));
        assert_eq!(stamp(&here, 7), stamp(&there, 7));
        for change in
            [|of: &DocumentVersions| of.changed(&key(7)), |of: &DocumentVersions| of.changed_all()]
        {
            let before = stamp(&there, 7);
            change(&here);
            assert_ne!(stamp(&there, 7), before);
            assert_eq!(stamp(&here, 7), stamp(&there, 7));
        }
        let before = stamp(&there, 7);
        here.changed_all_here();
        assert_eq!(stamp(&there, 7), before);
        assert_ne!(stamp(&here, 7), before);
    }

    /// The supervisor writes to the file, not to memory.
    #[test]
    fn a_process_that_ended_has_dropped_everything() {
        use std::os::unix::fs::FileExt as _;
        let file = mapped::tests::file(Versions::SHARED_BYTES);
        let versions = Arc::new(Versions::shared(&file).unwrap());
        let team = DocumentVersions::new(versions, "/hr/team");
        let before = stamp(&team, 7);
        file.write_all_at(&1_u32.to_ne_bytes(), 0).unwrap();
        assert_ne!(stamp(&team, 7), before);
    }

    #[test]
    fn a_file_that_is_too_short_or_may_shrink_is_refused() {
        let short = mapped::tests::file(Versions::SHARED_BYTES - 1);
        assert!(Versions::shared(&short).is_err());
        let open = mapped::tests::unsealed(Versions::SHARED_BYTES);
        assert!(Versions::shared(&open).is_err());
    }

    #[test]
    fn resources_have_counters_of_their_own() {
        let versions: Arc<Versions> = Arc::default();
        let [team, driver] =
            ["/hr/team", "/hr/driver"].map(|it| DocumentVersions::new(Arc::clone(&versions), it));
        let before = stamp(&driver, 7);
        team.changed(&key(7));
        team.changed_all();
        // By chance they may share one, in one of thousands of runs; then the key is another.
        let is_shared =
            team.resource % RESOURCE_COUNTERS as u64 == driver.resource % RESOURCE_COUNTERS as u64;
        assert!(is_shared || stamp(&driver, 7).epoch == before.epoch);
    }
}
