//! The files of a module's repository, by their paths below its folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_error::CommandError;
use crate::report::Outcome;

/// How many files a module may have.
const MOST: usize = 50_000;

/// The folder of a module.
pub(super) struct ModuleFiles {
    folder: PathBuf,
    /// The paths of all files, in their order.
    names: Vec<String>,
}

impl ModuleFiles {
    /// Lists a folder, without hidden folders and what builds leave there.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(super) fn list(folder: &Path) -> Outcome<Self> {
        let mut names = Vec::new();
        let mut waiting = vec![String::new()];
        while let Some(below) = waiting.pop() {
            let entries = fs::read_dir(folder.join(&below)).map_err(|error| {
                CommandError::unreadable(folder, error)
                    .hint("Name the folder of a module's repository, with its submodules.")
            })?;
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder
                    && !name.starts_with('.')
                    && !["target", "node_modules"].contains(&&*name)
                {
                    waiting.push(path);
                } else if !is_folder {
                    names.push(path);
                }
                if names.len() > MOST {
                    let message = format!("{} has more than {MOST} files.", folder.display());
                    return Err(CommandError::file(message)
                        .hint("Name the folder of one module's repository, without what builds leave there."));
                }
            }
        }
        names.sort_unstable();
        Ok(Self { folder: folder.to_owned(), names })
    }

    /// The files whose path has this end.
    pub(super) fn with_suffix(&self, suffix: &str) -> impl Iterator<Item = String> + '_ {
        let suffix = suffix.to_owned();
        self.names.iter().filter(move |name| name.ends_with(&suffix)).cloned()
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Why it cannot be read, as a phrase.
    pub(super) fn read(&self, name: &str) -> Result<String, String> {
        fs::read_to_string(self.folder.join(name)).map_err(|error| error.to_string())
    }

    /// Whether there is such a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }
}

/// The path of a file that another one names; `None` above the folder.
pub(super) fn joined(from: &str, to: &str) -> Option<String> {
    let mut steps: Vec<&str> = from.split('/').collect();
    steps.pop();
    for step in to.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// The error of a file that cannot be read.
pub(super) fn unreadable(name: &str, why: &str) -> CommandError {
    CommandError::file(format!("{name} cannot be read: {why}."))
}
