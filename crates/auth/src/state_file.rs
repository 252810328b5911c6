//! The state in a file that only its owner can read. Creation and replacement are atomic, also under
//! crashes and concurrent writers.
//!
//! A change is written to a temporary file in the same folder, synced to disk and renamed. Writers
//! lock `PATH.lock`, because the state file itself is replaced; readers need no lock and always see
//! a complete version.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use duet_model::{Code, Error, Result};
use zeroize::Zeroizing;

use crate::state::State;

/// Read and write for the owner, nothing for others.
const MODE: u32 = 0o600;

/// The permission bits of group and others.
const OTHERS: u32 = 0o077;

/// The largest file that is read; a million clients would fit.
const MAX_BYTES: u64 = 512 << 20;

/// A state file that exists.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
}

/// Identifies a version of the file by its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    inode: (u64, u64),
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl StateFile {
    /// Opens the file, or creates it with a new signing key and no clients.
    ///
    /// # Errors
    /// `Setting` if group or others can read it, it is not a state file, or it cannot be created.
    pub fn open(path: &Path, now: u64) -> Result<Self> {
        if let Some(file) = Self::open_existing(path)? {
            return Ok(file);
        }
        let file = Self { path: path.to_owned() };
        let lock = file.lock()?;
        // Another writer may have created it before this one got the lock.
        if !file.exists()? {
            file.replace(&State::new(now)?)?;
        }
        drop(lock);
        Self::open_existing(path)?.ok_or_else(|| file.error("disappeared while it was created", ""))
    }

    /// Opens the file if it exists.
    ///
    /// # Errors
    /// `Setting` if group or others can read it or it is not a state file.
    pub fn open_existing(path: &Path) -> Result<Option<Self>> {
        let file = Self { path: path.to_owned() };
        if !file.exists()? {
            return Ok(None);
        }
        // A change replaces the target of a symbolic link, not the link.
        let path = path.canonicalize().map_err(|error| file.failed("cannot be found", error))?;
        let file = Self { path };
        file.load()?;
        Ok(Some(file))
    }

    /// The path, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the state. The fingerprint is that of the opened file, so the next
    /// [`StateFile::changed_since`] notices a replacement during the read.
    ///
    /// # Errors
    /// `Setting` if it cannot be read, others can read it, or it is not a state file.
    pub fn load(&self) -> Result<(State, Fingerprint)> {
        let file = File::open(&self.path).map_err(|error| self.failed("cannot be read", error))?;
        let metadata = file.metadata().map_err(|error| self.failed("cannot be read", error))?;
        self.check(&metadata)?;
        let mut json = Zeroizing::new(String::new());
        file.take(MAX_BYTES)
            .read_to_string(&mut json)
            .map_err(|error| self.failed("cannot be read", error))?;
        let state = State::from_json(&json).map_err(|mut error| {
            error.message = format!("{}: {}", self.path.display(), error.message);
            error
        })?;
        Ok((state, Fingerprint::of(&metadata)))
    }

    /// Changes the state: reads it, applies `change` and writes the result, unless `change` fails.
    /// Concurrent writers, also of other processes, wait for each other.
    ///
    /// # Errors
    /// What `change` returns, or `Setting` if the file cannot be read or written.
    pub fn update<T>(&self, change: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let lock = self.lock()?;
        let (mut state, _) = self.load()?;
        let result = change(&mut state)?;
        state.next_revision();
        self.replace(&state)?;
        drop(lock);
        Ok(result)
    }

    /// Whether the file has changed since this fingerprint. Reads only metadata.
    ///
    /// # Errors
    /// `Setting` if the file no longer exists; the caller then keeps the state in memory.
    pub fn changed_since(&self, fingerprint: &Fingerprint) -> Result<bool> {
        let metadata =
            fs::metadata(&self.path).map_err(|error| self.failed("cannot be found", error))?;
        Ok(Fingerprint::of(&metadata) != *fingerprint)
    }

    fn exists(&self) -> Result<bool> {
        self.path.try_exists().map_err(|error| self.failed("cannot be found", error))
    }

    fn check(&self, metadata: &fs::Metadata) -> Result<()> {
        if !metadata.is_file() {
            return Err(self.error("is not a file", "Name a file, such as `duet-state.json`."));
        }
        if metadata.mode() & OTHERS != 0 {
            let what = format!(
                "can be read by others (mode {:04o}), and it holds signing keys",
                metadata.mode() & 0o7777
            );
            let hint = format!("Run `chmod 600 {}`.", self.path.display());
            return Err(self.error(&what, &hint));
        }
        Ok(())
    }

    /// Waits for the writers' lock, which is released when the returned file is dropped.
    fn lock(&self) -> Result<File> {
        let path = self.with_suffix(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(MODE)
            .open(&path)
            .map_err(|error| self.failed("cannot be locked", error))?;
        self.keep_owner(&file)
            .and_then(|()| file.lock())
            .map_err(|error| self.failed("cannot be locked", error))?;
        Ok(file)
    }

    /// Replaces the file by a new version. The caller must hold the lock.
    fn replace(&self, state: &State) -> Result<()> {
        let temporary = self.with_suffix(".new");
        let json = state.to_json()?;
        self.write(&temporary, json.as_bytes())
            .and_then(|()| fs::rename(&temporary, &self.path))
            .and_then(|()| File::open(self.folder())?.sync_all())
            .map_err(|error| self.failed("cannot be written", error))
    }

    fn write(&self, temporary: &Path, bytes: &[u8]) -> io::Result<()> {
        // A crash may have left a file with any content and mode.
        match fs::remove_file(temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(MODE).open(temporary)?;
        self.keep_owner(&file)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Sets the owner of a new file to the owner of the state file. Otherwise a change by root would
    /// lock out the service's own user.
    fn keep_owner(&self, made: &File) -> io::Result<()> {
        let Ok(existing) = fs::metadata(&self.path) else { return Ok(()) };
        let (made_now, wanted) = (made.metadata()?, (existing.uid(), existing.gid()));
        if (made_now.uid(), made_now.gid()) == wanted {
            return Ok(());
        }
        fchown(made, Some(wanted.0), Some(wanted.1))
    }

    fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(suffix);
        name.into()
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    fn error(&self, what: &str, hint: &str) -> Error {
        let message = format!("The state file {} {what}.", self.path.display());
        Error::new(Code::Setting, message).maybe_hint((!hint.is_empty()).then(|| hint.to_owned()))
    }

    fn failed(&self, what: &str, error: io::Error) -> Error {
        let hint = "Check that its folder exists and that this user may write there.";
        self.error(&format!("{what}: {error}"), hint).cause(error)
    }
}

impl Fingerprint {
    /// The fingerprint of any file.
    pub fn of(metadata: &fs::Metadata) -> Self {
        Self {
            inode: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn creates_the_file_once_with_owner_permissions() {
        let folder = folder();
        let path = folder.path().join("state.json");
        assert!(StateFile::open_existing(&path).unwrap().is_none());
        let file = StateFile::open(&path, 7).unwrap();
        let (state, _) = file.load().unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(state.keys()[0].created, 7);
        let again = StateFile::open(&path, 8).unwrap();
        assert_eq!(again.load().unwrap().0, state);
    }

    #[test]
    fn refuses_a_file_that_others_can_read() {
        let folder = folder();
        let path = folder.path().join("state.json");
        let file = StateFile::open(&path, 1).unwrap();
        for bad in [0o640, 0o604, 0o644, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bad)).unwrap();
            let error = StateFile::open(&path, 1).unwrap_err();
            assert!(error.hint.unwrap().contains("chmod 600"), "{bad:o}");
            assert!(file.load().is_err() && file.update(|_| Ok(())).is_err());
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        StateFile::open(&path, 1).unwrap();
    }

    #[test]
    fn changes_are_stored_and_detected() {
        let folder = folder();
        let path = folder.path().join("state.json");
        let file = StateFile::open(&path, 1).unwrap();
        let (before, fingerprint) = file.load().unwrap();
        assert!(!file.changed_since(&fingerprint).unwrap());
        let (client, _) = file.update(|state| state.add("a", &[], 2)).unwrap();
        assert!(file.changed_since(&fingerprint).unwrap());
        let (after, _) = file.load().unwrap();
        assert_eq!(after.revision(), before.revision() + 1);
        assert_eq!(after.clients().collect::<Vec<_>>(), [&client]);
        assert_eq!(mode(&path), 0o600);
        assert!(!file.with_suffix(".new").exists());
    }

    #[test]
    fn a_failed_change_leaves_the_file_unchanged() {
        let folder = folder();
        let file = StateFile::open(&folder.path().join("state.json"), 1).unwrap();
        let (before, fingerprint) = file.load().unwrap();
        let failed = file.update(|state| {
            state.add("a", &[], 2)?;
            state.remove("b", 3)
        });
        assert!(failed.is_err());
        assert_eq!(file.load().unwrap().0, before);
        assert!(!file.changed_since(&fingerprint).unwrap());
    }

    #[test]
    fn ignores_leftovers_of_a_crash() {
        let folder = folder();
        let path = folder.path().join("state.json");
        let file = StateFile::open(&path, 1).unwrap();
        fs::write(file.with_suffix(".new"), "half of i").unwrap();
        file.update(|state| state.add("a", &[], 2)).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(file.load().unwrap().0.clients().count(), 1);
    }

    #[test]
    fn a_change_by_root_keeps_the_owner() {
        let folder = folder();
        let file = StateFile::open(&folder.path().join("state.json"), 1).unwrap();
        // Only root can change a file's owner; other users skip this test.
        if std::os::unix::fs::chown(file.path(), Some(4_321), Some(4_322)).is_err() {
            return;
        }
        fs::remove_file(file.with_suffix(".lock")).unwrap();
        file.update(|state| state.add("a", &[], 2)).unwrap();
        for path in [file.path(), &file.with_suffix(".lock")] {
            let metadata = fs::metadata(path).unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (4_321, 4_322));
            assert_eq!(mode(path), 0o600);
        }
    }

    #[test]
    fn writers_wait_for_each_other() {
        let folder = folder();
        let path = folder.path().join("state.json");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let file = StateFile::open(path, 1).unwrap();
                    for i in 0..5 {
                        file.update(|state| state.add(&format!("{writer}/{i}"), &[], 2)).unwrap();
                    }
                });
            }
        });
        let (state, _) = StateFile::open(&path, 1).unwrap().load().unwrap();
        assert_eq!((state.clients().count(), state.revision()), (20, 20));
    }

    #[test]
    fn keeps_a_symbolic_link() {
        let folder = folder();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        StateFile::open(&real, 1).unwrap();
        symlink(&real, &link).unwrap();
        let file = StateFile::open(&link, 1).unwrap();
        file.update(|state| state.add("a", &[], 2)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(StateFile::open(&real, 1).unwrap().load().unwrap().0.clients().count(), 1);
    }

    #[test]
    fn refuses_other_files_with_a_reason() {
        let folder = folder();
        let nowhere = folder.path().join("missing/state.json");
        assert!(StateFile::open(&nowhere, 1).unwrap_err().hint.is_some());
        assert!(StateFile::open(folder.path(), 1).unwrap_err().message.contains("not a file"));
        let other = folder.path().join("other.json");
        fs::write(&other, "{}").unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(StateFile::open(&other, 1).unwrap_err().message.contains("other.json"));
        let file = StateFile::open(&folder.path().join("state.json"), 1).unwrap();
        let (_, fingerprint) = file.load().unwrap();
        fs::remove_file(file.path()).unwrap();
        assert!(file.changed_since(&fingerprint).is_err());
    }
}
