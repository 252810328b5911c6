//! The files of an application that is being made: what a failed import made is removed again, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::drafts::new_file;
use crate::report::Outcome;

/// How another folder is named.
const HINT: &str = "Name another folder with `--into`.";

/// The folder of the application, and what was made in it.
pub(super) struct NewFiles {
    into: PathBuf,
    files: Vec<PathBuf>,
    /// From the outside.
    folders: Vec<PathBuf>,
    is_whole: bool,
}

impl NewFiles {
    /// Of a folder, which may exist.
    pub(super) fn new(into: &Path) -> Self {
        let (files, folders) = (Vec::new(), Vec::new());
        Self { into: into.to_owned(), files, folders, is_whole: false }
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.into
    }

    /// Writes a file that does not exist yet, by its path below the folder, and makes the folders above it.
    ///
    /// # Errors
    /// Where it exists, or cannot be written.
    pub(super) fn write(&mut self, name: &str, text: &str) -> Outcome {
        let path = self.into.join(name);
        let above = path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
        let mut missing: Vec<PathBuf> =
            above.take_while(|it| !it.exists()).map(Path::to_owned).collect();
        missing.reverse();
        self.folders.append(&mut missing);
        let existed = path.exists();
        let written = new_file::write(&path, text, HINT);
        if !existed {
            self.files.push(path);
        }
        written
    }

    /// Keeps what was made.
    pub(super) fn keep(mut self) {
        self.is_whole = true;
    }
}

impl Drop for NewFiles {
    /// Removes what was made, unless all of it was. What cannot be removed stays: the error that led here is the one to say.
    fn drop(&mut self) {
        if self.is_whole {
            return;
        }
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        for folder in self.folders.iter().rev() {
            // One with other files in it stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use duet_testkit::sqlite::Folder;

    use super::*;

    #[test]
    fn what_was_made_goes_and_nothing_else() {
        let folder = Folder::new();
        let into = folder.path().join("a/b");
        let mut files = NewFiles::new(&into);
        files.write("c/d.txt", "d").unwrap();
        files.write("e.txt", "e").unwrap();
        fs::write(into.join("own.txt"), "own").unwrap();
        assert!(files.write("own.txt", "mine").is_err());
        drop(files);
        assert_eq!(fs::read_to_string(into.join("own.txt")).unwrap(), "own");
        assert!(!into.join("c").exists() && !into.join("e.txt").exists());
        fs::remove_file(into.join("own.txt")).unwrap();
        let mut files = NewFiles::new(&into);
        files.write("c/d.txt", "d").unwrap();
        drop(files);
        assert!(into.exists() && !into.join("c").exists(), "the folder was there before");
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        let mut files = NewFiles::new(&into);
        files.write("c/d.txt", "d").unwrap();
        files.keep();
        assert!(into.join("c/d.txt").exists());
    }
}
