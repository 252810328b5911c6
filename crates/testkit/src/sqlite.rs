//! SQLite files for one test each.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

/// A fresh folder for SQLite files; dropping it removes them.
#[derive(Debug)]
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    /// An empty folder.
    ///
    /// # Panics
    /// If the system's temporary folder cannot be written.
    #[expect(clippy::new_without_default, reason = "making a folder is no default value")]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("duet-sqlite-").tempdir();
        Self { folder: folder.unwrap_or_else(|error| panic!("temporary folder: {error}")) }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes (or opens) the database file `name` and runs scripts in it, foreign keys enforced.
    ///
    /// # Panics
    /// If a statement fails.
    pub fn load(&self, name: &str, scripts: &[&str]) -> PathBuf {
        let path = self.folder.path().join(name);
        let connection = open(&path);
        for script in scripts {
            if let Err(error) = connection.execute_batch(script) {
                panic!("SQL failed in {name}: {error}");
            }
        }
        path
    }

    /// A copy of a database file under this folder, so that a test may write to it.
    ///
    /// # Panics
    /// If the file cannot be copied.
    pub fn copy(&self, file: &Path) -> PathBuf {
        let path = self.folder.path().join(file.file_name().unwrap_or(file.as_os_str()));
        let copied = std::fs::read(file).and_then(|bytes| std::fs::write(&path, bytes));
        copied.unwrap_or_else(|error| panic!("copy {}: {error}", file.display()));
        path
    }
}

/// A plain connection to a file, foreign keys enforced, to check the results of a test.
///
/// # Panics
/// If the file cannot be opened.
pub fn open(path: &Path) -> Connection {
    let open = || {
        let connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA foreign_keys = ON")?;
        Ok::<_, rusqlite::Error>(connection)
    };
    open().unwrap_or_else(|error| panic!("open {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_data_and_removes_the_server() {
        let folder = Folder::new();
        let path = folder.load("a.db", &["CREATE TABLE t (a)", "INSERT INTO t VALUES (7)"]);
        let seven: i64 = open(&path).query_row("SELECT a FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(seven, 7);
        drop(folder);
        assert!(!path.exists());
    }
}
