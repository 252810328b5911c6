//! Why a journal does not do what it was asked.

use std::fmt;
use std::io;
use std::sync::Arc;

/// Why a journal does not do what it was asked.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The record does not fit: the journal holds as many bytes as it may, and nothing is lost. Try again
    /// when some are applied.
    Full,
    /// One record needs more room than the empty journal has.
    TooLarge {
        /// The most bytes of a record.
        most: u64,
    },
    /// The disk is full, or fails. Nothing of the record is kept.
    Disk(Arc<io::Error>),
    /// Another process has taken over the folder: this one may not write there any more.
    TakenOver,
    /// Another process has locked the folder.
    InUse,
    /// A file of the journal is damaged: records that were synced cannot be read.
    Damaged {
        /// The file.
        file: String,
        /// The offset of the first byte that cannot be read.
        at: u64,
        /// What is wrong there.
        why: String,
    },
    /// The journal was closed.
    Closed,
}

impl Failure {
    /// Whether the disk has no room left.
    pub fn is_disk_full(&self) -> bool {
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Self::Disk(error) if kinds.contains(&error.kind()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Disk(Arc::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { most } => write!(f, "one record takes more than {most} bytes"),
            Self::Full => f.write_str("the journal is full"),
            Self::Disk(error) => write!(f, "the journal's disk: {error}"),
            Self::TakenOver => f.write_str("another process has taken over the journal"),
            Self::InUse => f.write_str("another process uses the journal"),
            Self::Damaged { file, at, why } => {
                write!(f, "the journal's file {file} is damaged at byte {at}: {why}")
            }
            Self::Closed => f.write_str("the journal is closed"),
        }
    }
}

impl std::error::Error for Failure {}
