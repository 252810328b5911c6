//! Folders for the databases of samples: removed at the end of the program, or by the next one where the program
//! was killed.
//!
//! A folder belongs to a process for as long as that holds the lock on a file in it. The system releases locks with
//! their process, however that ends, and knows no numbers of processes that are used again. `systemd-tmpfiles` decides
//! in the same way which folders it may clean.

use std::fs::{self, DirEntry, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::command_error::CommandError;
use crate::report::Outcome;

/// Before the random part of the name.
const PREFIX: &str = "duet-demo-";
/// The file whose lock says that the folder is in use.
const LOCK: &str = "lock";

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(in crate::commands) struct DemoFolder {
    folder: TempDir,
    _lock: File,
}

impl DemoFolder {
    /// Makes one below the folder for temporary files, and removes those of processes that have ended.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(in crate::commands) fn make() -> Outcome<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(parent: &Path) -> Outcome<Self> {
        remove_abandoned(parent);
        Self::locked_in(parent).map_err(|error| {
            CommandError::machine(format!("A folder for databases cannot be made: {error}."))
        })
    }

    fn locked_in(parent: &Path) -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // Nobody sees the file under its name before it is locked.
        let new = folder.path().join("lock.new");
        let lock = File::create_new(&new)?;
        lock.lock()?;
        fs::rename(&new, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    /// Its path.
    pub(in crate::commands) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of this user whose processes have ended. What cannot be removed stays.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX))
            && let Some(lock) = lock_of_abandoned(&entry)
        {
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                let folder = entry.path().display().to_string();
                tracing::debug!(folder, %error, "the folder of a demo that was killed stays");
            }
            // Held until here, so that no other program removes the folder too.
            drop(lock);
        }
    }
}

/// The lock on a folder that is ours and that no process uses.
fn lock_of_abandoned(entry: &DirEntry) -> Option<File> {
    // Of the link itself where it is one.
    let folder = entry.metadata().ok()?;
    let lock = entry.path().join(LOCK);
    let file = fs::symlink_metadata(&lock).ok()?;
    let is_own = |metadata: &fs::Metadata| metadata.uid() == geteuid().as_raw();
    if !folder.is_dir() || !file.is_file() || !is_own(&folder) || !is_own(&file) {
        return None;
    }
    let lock = File::open(lock).ok()?;
    match lock.try_lock() {
        Ok(()) => Some(lock),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_without_a_process_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let path = |name: &str| parent.path().join(name);
        let used = DemoFolder::make_in(parent.path()).unwrap();
        // As a killed program leaves it.
        let killed = DemoFolder::make_in(parent.path()).unwrap();
        fs::write(killed.path().join("chinook.sqlite"), "data").unwrap();
        let DemoFolder { folder, _lock: lock } = killed;
        let killed = folder.keep();
        drop(lock);
        // Not ours: another name, no lock, a link to a folder with one.
        for name in ["duet-demo-unlocked", "other-demo-1"] {
            fs::create_dir(path(name)).unwrap();
        }
        fs::write(path("other-demo-1").join(LOCK), "").unwrap();
        fs::create_dir(path("elsewhere")).unwrap();
        fs::write(path("elsewhere").join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(path("elsewhere"), path("duet-demo-link")).unwrap();
        let next = DemoFolder::make_in(parent.path()).unwrap();
        assert!(!killed.exists());
        for kept in [used.path(), next.path(), &path("duet-demo-unlocked"), &path("other-demo-1")] {
            assert!(kept.is_dir(), "{}", kept.display());
        }
        assert!(path("elsewhere").join(LOCK).is_file() && path("duet-demo-link").exists());
        let ended = used.path().to_owned();
        drop(used);
        assert!(!ended.exists());
    }
}
