//! The state in a file that only its owner can read: made, replaced and locked so that a crash or
//! a second writer never leaves half of it.
//!
//! A change is written to a temporary file beside it, flushed to the disk and renamed over it.
//! Writers exclude each other by a lock on `PATH.lock`, because the file itself is replaced; a
//! reader needs no lock and always sees one whole version.

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

/// Tells one version of the file from another without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    inode: (u64, u64),
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl StateFile {
    /// Opens the file, or makes it with a new signing key and no clients if there is none.
    ///
    /// # Errors
    /// `Setting` if group or others can read it, it is not a state file, or it cannot be made.
    pub fn open(path: &Path, now: u64) -> Result<Self> {
        if let Some(file) = Self::open_existing(path)? {
            return Ok(file);
        }
        let file = Self { path: path.to_owned() };
        let lock = file.lock()?;
        // Another writer may have made it before the lock was ours.
        if !file.exists()? {
            file.replace(&State::new(now)?)?;
        }
        drop(lock);
        Self::open_existing(path)?.ok_or_else(|| file.error("vanished while it was made", ""))
    }

    /// Opens the file if there is one; makes nothing.
    ///
    /// # Errors
    /// `Setting` if group or others can read it or it is not a state file.
    pub fn open_existing(path: &Path) -> Result<Option<Self>> {
        let file = Self { path: path.to_owned() };
        if !file.exists()? {
            return Ok(None);
        }
        // A symbolic link stays one: its target is what a change replaces.
        let path = path.canonicalize().map_err(|error| file.failed("cannot be found", error))?;
        let file = Self { path };
        file.load()?;
        Ok(Some(file))
    }

    /// Where it is, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the state. The fingerprint is taken from the file that was read, so that a change in
    /// between is seen by the next [`StateFile::changed_since`].
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

    /// Changes the state: reads it, lets `change` work on it, keeps the result. Nothing is kept if
    /// `change` fails. Writers in other processes wait for each other.
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

    /// Whether the file is another version than the one with this fingerprint. Reads no content.
    ///
    /// # Errors
    /// `Setting` if there is no file any more; the state in memory is then the best there is.
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

    /// Waits until no other writer is at work. The lock ends with the returned file.
    fn lock(&self) -> Result<File> {
        let path = self.beside(".lock");
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

    /// Puts a new version in place. Only with the lock in hand.
    fn replace(&self, state: &State) -> Result<()> {
        let temporary = self.beside(".new");
        let json = state.to_json()?;
        self.write(&temporary, json.as_bytes())
            .and_then(|()| fs::rename(&temporary, &self.path))
            .and_then(|()| File::open(self.folder())?.sync_all())
            .map_err(|error| self.failed("cannot be written", error))
    }

    fn write(&self, temporary: &Path, bytes: &[u8]) -> io::Result<()> {
        // A crash may have left one, with any content and mode.
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

    /// Gives a file that is made beside the state file to the owner of that one. Otherwise a change
    /// by the administrator would lock out the service's own user.
    fn keep_owner(&self, made: &File) -> io::Result<()> {
        let Ok(existing) = fs::metadata(&self.path) else { return Ok(()) };
        let (made_now, wanted) = (made.metadata()?, (existing.uid(), existing.gid()));
        if (made_now.uid(), made_now.gid()) == wanted {
            return Ok(());
        }
        fchown(made, Some(wanted.0), Some(wanted.1))
    }

    fn beside(&self, suffix: &str) -> PathBuf {
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
    /// The fingerprint of a file, which may be any.
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
    fn made_once_and_only_for_its_owner() {
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
    fn refused_if_others_can_read_it() {
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
    fn changes_are_kept_and_noticed() {
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
        assert!(!file.beside(".new").exists());
    }

    #[test]
    fn a_failed_change_changes_nothing() {
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
    fn left_overs_of_a_crash_do_no_harm() {
        let folder = folder();
        let path = folder.path().join("state.json");
        let file = StateFile::open(&path, 1).unwrap();
        fs::write(file.beside(".new"), "half of i").unwrap();
        file.update(|state| state.add("a", &[], 2)).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(file.load().unwrap().0.clients().count(), 1);
    }

    #[test]
    fn a_change_by_the_administrator_keeps_the_owner() {
        let folder = folder();
        let file = StateFile::open(&folder.path().join("state.json"), 1).unwrap();
        // Only the administrator can give files away; others have nothing to test here.
        if std::os::unix::fs::chown(file.path(), Some(4_321), Some(4_322)).is_err() {
            return;
        }
        fs::remove_file(file.beside(".lock")).unwrap();
        file.update(|state| state.add("a", &[], 2)).unwrap();
        for path in [file.path(), &file.beside(".lock")] {
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
    fn a_symbolic_link_stays_one() {
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
    fn what_is_no_state_file_is_explained() {
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
