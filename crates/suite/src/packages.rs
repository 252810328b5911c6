//! The packages of the workspace: which are changed, and which use them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A package and what it uses, tests included.
#[derive(Debug, Default)]
pub(super) struct Packages {
    /// From a folder, relative to the workspace, to a name.
    folders: BTreeMap<String, String>,
    /// From a name to the names of those that it uses.
    uses: BTreeMap<String, BTreeSet<String>>,
}

impl Packages {
    /// Asks cargo.
    ///
    /// # Errors
    /// A text, where it does not answer.
    pub(super) fn of_workspace() -> Result<Self, String> {
        let text =
            said(Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(Self::read(&metadata))
    }

    fn read(metadata: &Value) -> Self {
        let root = metadata["workspace_root"].as_str().unwrap_or_default();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut packages = Self::default();
        for package in list(&metadata["packages"]) {
            let name = package["name"].as_str().unwrap_or_default().to_owned();
            let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
            let folder = manifest.parent().and_then(|folder| folder.strip_prefix(root).ok());
            let folder = folder.unwrap_or(Path::new("")).to_string_lossy().into_owned();
            let uses = list(&package["dependencies"]);
            let uses = uses.iter().filter(|dependency| dependency["path"].is_string());
            let uses = uses.filter_map(|dependency| Some(dependency["name"].as_str()?.to_owned()));
            packages.uses.insert(name.clone(), uses.collect());
            packages.folders.insert(folder, name);
        }
        packages
    }

    /// The package of a folder, as somebody types it: `crates/sql`, `crates/sql/`, `sql`.
    ///
    /// # Errors
    /// A text that names the folders there are.
    pub(super) fn at(&self, folder: &str) -> Result<String, String> {
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        let found =
            self.folders.get(folder).or_else(|| self.folders.get(&format!("crates/{folder}")));
        found.cloned().ok_or_else(|| {
            let known: Vec<_> = self.folders.keys().map(String::as_str).collect();
            format!("{folder} is no crate; there are {}", known.join(", "))
        })
    }

    /// The packages that files belong to, and whether others changed that may concern any package.
    pub(super) fn of_files<'a>(
        &self,
        files: impl Iterator<Item = &'a str>,
    ) -> (BTreeSet<String>, bool) {
        let (mut changed, mut others) = (BTreeSet::new(), false);
        for file in files {
            let owner = self.folders.iter().find(|(folder, _)| {
                file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
            });
            match owner {
                Some((_, name)) => drop(changed.insert(name.clone())),
                // What is compiled in, read by tests, or decides how all are built.
                None => {
                    others |= !matches!(file.split('/').next(), Some("bench" | "deploy" | ".ci"));
                }
            }
        }
        (changed, others)
    }

    /// Every package that uses one of these, directly or not.
    pub(super) fn that_use(&self, changed: &BTreeSet<String>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for (name, uses) in &self.uses {
                let reached = |used: &String| changed.contains(used) || found.contains(used);
                if !changed.contains(name) && uses.iter().any(reached) {
                    found.insert(name.clone());
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Files that differ from what was last landed: from `origin/main` where there is one, else from the last commit; and
    /// files that git does not know yet.
    ///
    /// # Errors
    /// A text, where git does not answer.
    pub(super) fn changed_files() -> Result<Vec<String>, String> {
        let base = said(Command::new("git").args(["merge-base", "HEAD", "origin/main"]));
        let base = base.map_or_else(|_| "HEAD".to_owned(), |base| base.trim().to_owned());
        let changed = said(Command::new("git").args(["diff", "--name-only", &base]))?;
        let new = said(Command::new("git").args(["ls-files", "--others", "--exclude-standard"]))?;
        Ok(changed.lines().chain(new.lines()).map(str::to_owned).collect())
    }
}

/// What a command prints.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> Packages {
        let dependency = |name: &str| serde_json::json!({"name": name, "path": "/d"});
        let package = |name: &str, folder: &str, uses: &[&str]| {
            let mut uses: Vec<_> = uses.iter().map(|name| dependency(name)).collect();
            uses.push(serde_json::json!({"name": "serde_json", "path": null}));
            serde_json::json!({
                "name": name, "manifest_path": format!("/d/{folder}/Cargo.toml"), "dependencies": uses
            })
        };
        Packages::read(&serde_json::json!({"workspace_root": "/d", "packages": [
            package("duet-model", "crates/model", &[]),
            package("duet-sql", "crates/sql", &["duet-model"]),
            package("duet-store", "crates/store", &["duet-sql"]),
            package("duet-verdict", "crates/verdict", &[]),
        ]}))
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_change_concerns_its_package_and_all_that_use_it() {
        let packages = packages();
        assert_eq!(packages.at("crates/sql/"), Ok("duet-sql".to_owned()));
        assert_eq!(packages.at("sql"), Ok("duet-sql".to_owned()));
        assert!(packages.at("crates/none").unwrap_err().contains("crates/verdict"));
        assert_eq!(packages.that_use(&set(&["duet-model"])), set(&["duet-sql", "duet-store"]));
        assert_eq!(packages.that_use(&set(&["duet-verdict"])), set(&[]));
    }

    #[test]
    fn files_outside_all_packages_may_concern_any() {
        let packages = packages();
        let of = |files: &[&str]| packages.of_files(files.iter().copied());
        assert_eq!(of(&["crates/sql/src/lib.rs", "bench/a.sh"]), (set(&["duet-sql"]), false));
        assert_eq!(of(&["crates/sqlx/a"]), (set(&[]), true));
        assert_eq!(of(&["golden/read/a.json"]), (set(&[]), true));
    }
}
