//! The files of a journal: a folder of the disk, or what tests put in its place.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Failure;
use crate::published::{BYTES, DurableMark};

/// The name of the file that the owner of a folder has locked.
pub(crate) const LOCK: &str = "lock";

/// A folder of files. Nothing is kept through a power cut until it is synced: the content of a file by
/// [`Disk::sync`], names by [`Disk::sync_names`].
pub trait Disk: Send + Sync + 'static {
    /// The names of all files.
    ///
    /// # Errors
    /// Of the disk.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Up to so many bytes of a file; fewer at its end.
    ///
    /// # Errors
    /// Of the disk.
    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>>;

    /// The length of a file.
    ///
    /// # Errors
    /// Of the disk.
    fn length(&self, name: &str) -> io::Result<u64>;

    /// Makes an empty file.
    ///
    /// # Errors
    /// Where it exists already, and of the disk.
    fn create(&self, name: &str) -> io::Result<()>;

    /// Writes bytes to a place of a file.
    ///
    /// # Errors
    /// Of the disk: some of the bytes may be written.
    fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to a length.
    ///
    /// # Errors
    /// Of the disk.
    fn cut(&self, name: &str, length: u64) -> io::Result<()>;

    /// Syncs the content of a file.
    ///
    /// # Errors
    /// Of the disk: what was written since the last sync may be lost.
    fn sync(&self, name: &str) -> io::Result<()>;

    /// Syncs which names there are.
    ///
    /// # Errors
    /// Of the disk.
    fn sync_names(&self) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// Of the disk.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Gives a file another name, in the place of the file that has it.
    ///
    /// # Errors
    /// Of the disk; [`io::ErrorKind::NotFound`] where there is no such file.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Whether this process still owns the folder.
    fn is_ours(&self) -> bool;

    /// Tells other processes which journal it is and how much of it is durable; not synced. Where that
    /// fails they know less.
    fn publish(&self, _: DurableMark) {}

    /// Takes back what was published: other processes do not know any more what is durable.
    fn withdraw(&self) {}

    /// What an earlier owner has published last: rows up to there were durable.
    fn left(&self) -> Option<DurableMark> {
        None
    }
}

/// A folder of the file system, locked by this process.
#[derive(Debug)]
pub struct RealDisk {
    folder: PathBuf,
    lock: File,
    /// The file that was written last.
    open: Mutex<Option<(String, Arc<File>)>>,
}

impl RealDisk {
    /// Locks a folder; it is made where it is not there. The lock ends with the process. A lock file that
    /// was removed takes the folder from its owner, which notices that at its next sync.
    ///
    /// # Errors
    /// [`Failure::InUse`] where another process has the lock; others of the disk.
    pub fn lock(folder: &Path) -> Result<Self, Failure> {
        let is_new = !folder.exists();
        fs::create_dir_all(folder)?;
        if is_new && let Some(parent) = folder.parent() {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            File::open(parent)?.sync_all()?;
        }
        let path = folder.join(LOCK);
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).read(true).open(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let disk = Self { folder: folder.to_owned(), lock, open: Mutex::default() };
        // What an earlier owner has published is not known to be all: a machine that stopped may have lost it.
        if disk.lock.metadata()?.len() > 0 {
            disk.put_aside()?;
        }
        // Another process may have replaced the file between opening and locking it.
        if disk.is_ours() { Ok(disk) } else { Err(Failure::InUse) }
    }

    /// Keeps what is published behind it, and takes it back.
    fn put_aside(&self) -> io::Result<()> {
        let mut published = [0; BYTES];
        let length = self.lock.read_at(&mut published, 0)?;
        if DurableMark::read(&published[..length]).is_some() {
            self.lock.write_all_at(&published, BYTES as u64)?;
        }
        self.lock.write_all_at(&[0; BYTES], 0)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// An error of a file, which names it: an operator has several disks.
    fn failed(&self, name: &str, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path(name).display()))
    }

    /// The file, opened for writing.
    fn file(&self, name: &str) -> io::Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, file)) = &*open
            && known == name
        {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(OpenOptions::new().write(true).open(self.path(name))?);
        *open = Some((name.to_owned(), Arc::clone(&file)));
        Ok(file)
    }
}

impl Disk for RealDisk {
    fn names(&self) -> io::Result<Vec<String>> {
        names_in(&self.folder)
    }

    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
        read_file(&self.path(name), at, bytes)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        Ok(fs::metadata(self.path(name))?.len())
    }

    fn create(&self, name: &str) -> io::Result<()> {
        let made = OpenOptions::new().write(true).create_new(true).open(self.path(name));
        let file = made.map_err(|error| self.failed(name, &error))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Some((name.to_owned(), Arc::new(file)));
        Ok(())
    }

    fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        let written = self.file(name).and_then(|file| file.write_all_at(bytes, at));
        written.map_err(|error| self.failed(name, &error))
    }

    fn cut(&self, name: &str, length: u64) -> io::Result<()> {
        let cut = self.file(name).and_then(|file| file.set_len(length));
        cut.map_err(|error| self.failed(name, &error))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let synced = self.file(name).and_then(|file| file.sync_data());
        synced.map_err(|error| self.failed(name, &error))
    }

    fn sync_names(&self) -> io::Result<()> {
        let synced = File::open(&self.folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| self.failed("", &error))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        // An open file would keep its bytes on the disk.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.take_if(|(known, _)| known == name);
        fs::remove_file(self.path(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.take_if(|(known, _)| known == from || known == to);
        fs::rename(self.path(from), self.path(to))
    }

    fn is_ours(&self) -> bool {
        let same = || {
            let (own, there) = (self.lock.metadata()?, fs::metadata(self.path(LOCK))?);
            Ok::<_, io::Error>((own.dev(), own.ino()) == (there.dev(), there.ino()))
        };
        same().unwrap_or(false)
    }

    fn publish(&self, published: DurableMark) {
        drop(self.lock.write_all_at(&published.bytes(), 0));
    }

    fn withdraw(&self) {
        drop(self.put_aside());
    }

    fn left(&self) -> Option<DurableMark> {
        left_in(&self.lock)
    }
}

/// What the owner of a lock file, or an earlier one, has published last.
fn left_in(lock: &File) -> Option<DurableMark> {
    let at = |place: u64| {
        let mut bytes = [0; BYTES];
        let length = lock.read_at(&mut bytes, place).ok()?;
        DurableMark::read(&bytes[..length])
    };
    at(0).or_else(|| at(BYTES as u64))
}

/// A folder that is only read: another process may own it.
#[derive(Clone, Debug)]
pub struct ReadFolder(pub PathBuf);

impl ReadFolder {
    /// Whether a process has locked the folder.
    pub fn is_locked(&self) -> bool {
        let Ok(lock) = File::open(self.0.join(LOCK)) else { return false };
        matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
    }
}

fn read_only<T>() -> io::Result<T> {
    Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem))
}

impl Disk for ReadFolder {
    fn names(&self) -> io::Result<Vec<String>> {
        match names_in(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            names => names,
        }
    }

    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
        read_file(&self.0.join(name), at, bytes)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        Ok(fs::metadata(self.0.join(name))?.len())
    }

    fn create(&self, _: &str) -> io::Result<()> {
        read_only()
    }

    fn write(&self, _: &str, _: u64, _: &[u8]) -> io::Result<()> {
        read_only()
    }

    fn cut(&self, _: &str, _: u64) -> io::Result<()> {
        read_only()
    }

    fn sync(&self, _: &str) -> io::Result<()> {
        read_only()
    }

    fn sync_names(&self) -> io::Result<()> {
        read_only()
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        read_only()
    }

    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        read_only()
    }

    fn is_ours(&self) -> bool {
        false
    }

    fn left(&self) -> Option<DurableMark> {
        left_in(&File::open(self.0.join(LOCK)).ok()?)
    }
}

/// All bytes of a file.
pub(crate) fn whole(disk: &dyn Disk, name: &str) -> io::Result<Vec<u8>> {
    let length = usize::try_from(disk.length(name)?).map_err(io::Error::other)?;
    disk.read(name, 0, length)
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        if let Ok(name) = entry?.file_name().into_string() {
            names.push(name);
        }
    }
    Ok(names)
}

fn read_file(path: &Path, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let left = usize::try_from(file.metadata()?.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut found = vec![0; bytes.min(left)];
    file.read_exact_at(&mut found, at)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_until_its_lock_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let owner = RealDisk::lock(&path).unwrap();
        assert!(owner.is_ours());
        assert!(matches!(RealDisk::lock(&path), Err(Failure::InUse)));
        fs::remove_file(path.join(LOCK)).unwrap();
        assert!(!owner.is_ours());
        let next = RealDisk::lock(&path).unwrap();
        assert!(next.is_ours() && !owner.is_ours());
        drop(next);
        assert!(RealDisk::lock(&path).is_ok());
    }

    #[test]
    fn a_full_disk_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let disk = RealDisk::lock(folder.path()).unwrap();
        std::os::unix::fs::symlink("/dev/full", folder.path().join("segment")).unwrap();
        let failure = Failure::from(disk.write("segment", 0, b"row").unwrap_err());
        assert!(failure.is_disk_full());
        let named = format!("the journal's disk: {}/segment: ", folder.path().display());
        assert!(failure.to_string().starts_with(&named), "{failure}");
        let missing = disk.cut("nothing", 0).unwrap_err();
        assert!(missing.to_string().contains("/nothing: "), "{missing}");
    }
}
