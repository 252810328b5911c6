//! Whether the file at a path is still the one that was opened.
//!
//! SQLite continues to read a file that was deleted or replaced while a connection is
//! open. A file that replaces it is served.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use duet_model::{Code, Error, Result};

/// What is at the path.
#[derive(Debug)]
pub(crate) struct Watched {
    path: PathBuf,
    seen: Mutex<Option<Identity>>,
    /// Grows with each change of the file at the path.
    epoch: AtomicU64,
    /// Whether the file is read as one that does not change: then a change is another file.
    unchanging: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    file: (u64, u64),
    /// Size, time of change, and whether there is a write-ahead log; only where it is to be the
    /// same always.
    content: Option<(u64, i64, i64, bool)>,
}

impl Watched {
    pub(crate) fn new(path: &Path) -> Self {
        let watched = Self {
            path: path.to_owned(),
            seen: Mutex::new(None),
            epoch: AtomicU64::new(0),
            unchanging: AtomicBool::new(false),
        };
        *watched.seen() = watched.identity();
        watched
    }

    /// The number of the present file, as of the last check.
    #[inline]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// The file is read as one that does not change.
    pub(crate) fn expect_no_change(&self) {
        if !self.unchanging.swap(true, Ordering::Relaxed) {
            *self.seen() = self.identity();
        }
    }

    /// Checks the file at the path.
    ///
    /// # Errors
    /// Where there is nothing.
    pub(crate) fn look(&self) -> Result<()> {
        let now = self.identity();
        let mut seen = self.seen();
        if *seen != now {
            *seen = now;
            self.epoch.fetch_add(1, Ordering::Release);
        }
        now.map(drop).ok_or_else(|| {
            Error::new(Code::DatabaseUnavailable, "The database file does not exist.")
                .retry_after(1)
                .cause(format!("there is no file {}", self.path.display()))
        })
    }

    fn identity(&self) -> Option<Identity> {
        let data = std::fs::metadata(&self.path).ok().filter(std::fs::Metadata::is_file)?;
        let unchanging = self.unchanging.load(Ordering::Relaxed);
        let content = unchanging
            .then(|| (data.len(), data.mtime(), data.mtime_nsec(), log_of(&self.path).exists()));
        Some(Identity { file: (data.dev(), data.ino()), content })
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Option<Identity>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The write-ahead log of a file.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        std::fs::write(&path, "one").unwrap();
        let watched = Watched::new(&path);
        std::fs::write(&path, "changed").unwrap();
        assert!(watched.look().is_ok());
        assert_eq!(watched.epoch(), 0);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(watched.look().unwrap_err().code, Code::DatabaseUnavailable);
        assert_eq!(watched.epoch(), 1);
        std::fs::write(&path, "two").unwrap();
        assert!(watched.look().is_ok());
        assert_eq!(watched.epoch(), 2);
        watched.expect_no_change();
        assert!(watched.look().is_ok());
        assert_eq!(watched.epoch(), 2);
        std::fs::write(&path, "longer").unwrap();
        assert!(watched.look().is_ok());
        assert_eq!(watched.epoch(), 3);
    }
}
