//! Where a journal is, how large it may become, and its disk.

use std::path::PathBuf;
use std::sync::Arc;

use duet_journal::{Disk, RealDisk};

/// Where a journal is, and how large it may become.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// Its folder.
    pub folder: PathBuf,
    /// Bytes of rows that are not in the database yet.
    pub bytes: u64,
    /// How often a row is tried alone while the database answers otherwise, before it becomes a dead letter; 0: for ever.
    pub tries: u32,
    /// The name of this host, for those who ask another one.
    pub host: String,
    /// The disk of the folder.
    pub disk: JournalDisk,
}

/// Makes the disk of a journal from its folder, which it has locked.
#[derive(Clone)]
pub struct JournalDisk(pub(crate) Arc<dyn Fn(RealDisk) -> Box<dyn Disk> + Send + Sync>);

impl JournalDisk {
    /// A disk with faults of its own in front of the folder, for tests.
    pub fn with(disk: impl Fn(RealDisk) -> Box<dyn Disk> + Send + Sync + 'static) -> Self {
        Self(Arc::new(disk))
    }
}

impl Default for JournalDisk {
    fn default() -> Self {
        Self::with(|disk| Box::new(disk))
    }
}

impl std::fmt::Debug for JournalDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalDisk")
    }
}
