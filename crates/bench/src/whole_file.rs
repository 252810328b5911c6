//! Files that are written whole: beside their place, and renamed when they are complete. A full disk or the end of the
//! program leaves the file of before.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What the name of a file ends with until it is complete.
const PART: &str = ".part";

/// A file that is not in its place yet. One that is dropped before [`finish`](Self::finish) is removed.
#[derive(Debug)]
pub struct WholeFile {
    /// Its place, behind all links.
    path: PathBuf,
    /// What is written; `None` where its place is no file, such as a pipe or `/dev/stdout`, which is written itself.
    part: Option<PathBuf>,
    file: BufWriter<File>,
    /// Whether nothing may be in its place.
    is_new: bool,
}

impl WholeFile {
    /// Begins a file that replaces the one before, if there is one.
    ///
    /// # Errors
    /// If its folder cannot be written, or it is a folder.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let known = match fs::metadata(path) {
            Ok(known) => Some(known),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            let file = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
            return Ok(Self { path: path.to_owned(), part: None, file, is_new: false });
        }
        // A link stays one.
        let path = if known.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let part = beside(&path);
        let file = File::create(&part)?;
        if let Some(known) = known {
            file.set_permissions(known.permissions())?;
        }
        Ok(Self { path, part: Some(part), file: BufWriter::new(file), is_new: false })
    }

    /// Begins a file that must not exist.
    ///
    /// # Errors
    /// `AlreadyExists` if it does, and if its folder cannot be written.
    pub fn begin_new(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(exists());
        }
        let part = beside(path);
        let file = BufWriter::new(File::create(&part)?);
        Ok(Self { path: path.to_owned(), part: Some(part), file, is_new: true })
    }

    /// Puts the file in its place, when all of it is on disk.
    ///
    /// # Errors
    /// If the disk is full, or a new file has been made there meanwhile. The file of before is as it was.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some(part) = &self.part else { return Ok(()) };
        self.file.get_ref().sync_all()?;
        if self.is_new {
            // Unlike a rename, a link replaces nothing. Not every file system has links.
            match fs::hard_link(part, &self.path) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
                Err(_) if fs::symlink_metadata(&self.path).is_ok() => {
                    return Err(exists());
                }
                Err(_) => {}
            }
        }
        fs::rename(part, &self.path)?;
        self.part = None;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // What is left of it does no harm.
            drop(fs::remove_file(part));
        }
    }
}

/// As the system says it.
fn exists() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "File exists")
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    name.into()
}

/// Writes a file whole.
///
/// # Errors
/// As [`WholeFile::begin`] and [`WholeFile::finish`].
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = WholeFile::begin(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}

/// Writes a file whole that must not exist.
///
/// # Errors
/// As [`WholeFile::begin_new`] and [`WholeFile::finish`].
pub fn write_new(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = WholeFile::begin_new(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_file_of_before_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut second = WholeFile::begin(&path).unwrap();
        second.write_all(&[b'x'; 100_000]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        drop(second);
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names(folder.path()).len()),
            ("first".into(), 1)
        );
        write(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["a.json"]);
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        write(&link, "third").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_leaves_the_file_of_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, "first").unwrap();
        symlink("/dev/full", folder.path().join("a.json.part")).unwrap();
        let error = write(&path, "second").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        write(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!Path::new("/dev/null.part").exists());
    }

    #[test]
    fn a_new_file_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut late = WholeFile::begin_new(&path).unwrap();
        late.write_all(b"late").unwrap();
        assert_eq!(names(folder.path()), ["a.json.part"]);
        fs::write(&path, "first").unwrap();
        assert_eq!(late.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(write_new(&path, "x").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names(folder.path()).len()),
            ("first".into(), 1)
        );
        write_new(&folder.path().join("b"), "b").unwrap();
        assert_eq!(names(folder.path()), ["a.json", "b"]);
        assert!(
            write(folder.path(), "x").is_err() && write(&folder.path().join("c/d"), "x").is_err()
        );
    }
}
