//! The places that settings name and a start writes to: what can be known of them without writing.

use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use rustix::fs::{Access, access};

use crate::configuration_error::{self, ConfigurationError};
use crate::settings::{Listen, Origin, Settings};

/// Looks at the places to which a start writes, or the journal later.
///
/// # Errors
/// Why they cannot be written: every reason.
pub(super) fn check(settings: &Settings) -> configuration_error::Result<()> {
    let mut mistakes = Vec::new();
    let mut note = |name: &str, path: &Path, found: Result<(), String>| {
        mistakes.extend(found.err().map(|why| {
            let message = format!("`{name}` cannot be {}: {why}.", path.display());
            ConfigurationError::file(message)
                .hint("Name a place in a folder that this user can write to.")
        }));
    };
    for listen in &settings.listen.value {
        if let Listen::Unix(path) = listen {
            note("listen", path, socket(path));
        }
    }
    if let Some(path) = &settings.ready_file.value {
        note("ready_file", path, file(path));
    }
    if let Some(path) = &settings.journal.value {
        note("journal", path, folder_to_be(path));
    }
    ConfigurationError::all_of(mistakes)
}

/// What a check cannot know of the places that settings name, a line.
pub(in crate::commands) fn untried(settings: &Settings) -> String {
    let mut what: Vec<String> = Vec::new();
    if settings.listen.origin != Origin::Default {
        let listen: Vec<String> = settings.listen.value.iter().map(Listen::to_string).collect();
        what.push(format!("whether {} can be listened on", listen.join(", ")));
    }
    if settings.jwt_keys_url.value.is_some() {
        what.push("whether `jwt_keys_url` answers".to_owned());
    }
    if settings.journal.value.is_some() {
        what.push("whether another process has the journal".to_owned());
    }
    match what.is_empty() {
        true => String::new(),
        false => format!("not tried: {}.\n", what.join("; ")),
    }
}

/// Whether a socket can be made here.
fn socket(path: &Path) -> Result<(), String> {
    match std::fs::symlink_metadata(path) {
        Ok(there) if there.file_type().is_socket() => Ok(()),
        Ok(_) => Err("there is something else than a socket".to_owned()),
        Err(_) => writable(parent(path)),
    }
}

/// Whether a file can be made or replaced here.
fn file(path: &Path) -> Result<(), String> {
    match path.is_dir() {
        true => Err("it is a folder".to_owned()),
        false => writable(parent(path)),
    }
}

/// Whether a folder can be written to, or be made.
fn folder_to_be(path: &Path) -> Result<(), String> {
    let there = path.ancestors().map(named).find(|one| one.exists());
    writable(there.unwrap_or(Path::new(".")))
}

fn writable(folder: &Path) -> Result<(), String> {
    if !folder.is_dir() {
        let is = if folder.exists() { "is no folder" } else { "does not exist" };
        return Err(format!("{} {is}", folder.display()));
    }
    let accessed = access(folder, Access::WRITE_OK | Access::EXEC_OK);
    accessed.map_err(|error| format!("{}: {error}", folder.display()))
}

fn parent(path: &Path) -> &Path {
    named(path.parent().unwrap_or(path))
}

/// The folder of a relative path without one is this one.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_looked_at_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (name, is_socket, is_file, is_folder) in [
            ("new", true, true, true),
            ("file", false, true, false),
            ("socket", true, true, false),
            ("none/new", false, false, true),
            ("file/new", false, false, false),
            ("", false, false, true),
        ] {
            let path = at(name);
            let found = (socket(&path).is_ok(), file(&path).is_ok(), folder_to_be(&path).is_ok());
            assert_eq!(found, (is_socket, is_file, is_folder), "{name}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(file(Path::new("ready.json")), Ok(()));
    }
}
