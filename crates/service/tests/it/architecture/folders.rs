//! A folder of code is a room: it has so few files and folders that its names, read together, say what happens there.

use std::fs;
use std::path::Path;

use super::{crate_names, root};

/// Files of code and folders on one level.
const MOST: usize = 25;

#[test]
fn folders_have_few_entries() {
    let mut checked = 0;
    let mut large = Vec::new();
    for name in crate_names() {
        for part in ["src", "tests", "benches", "examples"] {
            let folder = root().join(&name).join(part);
            if folder.exists() {
                checked += count(&folder, &mut large);
            }
        }
    }
    assert!(checked > 100, "only {checked} folders are found");
    assert!(large.is_empty(), "more than {MOST} files and folders:\n{}", large.join("\n"));
}

/// Looks at a folder and those below it, and returns how many these are.
fn count(folder: &Path, large: &mut Vec<String>) -> usize {
    let paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let folders: Vec<_> = paths.iter().filter(|path| path.is_dir()).collect();
    let code = paths.iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let entries = folders.len() + code.count();
    if entries > MOST {
        large.push(format!("{}: {entries}", folder.display()));
    }
    1 + folders.iter().map(|folder| count(folder, large)).sum::<usize>()
}
