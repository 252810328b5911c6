//! The folder of an application: on disk, or built into the binary. Both are read in the same way.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;

/// A built-in file: its path below the application's folder, and its bytes.
pub(crate) type BuiltInFile = (&'static str, Stored);

/// The bytes of a built-in file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stored {
    /// As they are.
    Plain(&'static [u8]),
    /// Compressed by `build.rs`.
    Deflated(&'static [u8]),
}

impl Stored {
    /// The bytes of the file.
    ///
    /// # Errors
    /// If what is compressed cannot be read, which would be a bug of the build.
    pub(crate) fn bytes(self) -> io::Result<Cow<'static, [u8]>> {
        match self {
            Self::Plain(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::Deflated(compressed) => {
                let mut bytes = Vec::new();
                DeflateDecoder::new(compressed).read_to_end(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

/// An application's folder.
#[derive(Clone, Debug)]
pub(crate) enum Folder {
    /// On the disk.
    Disk(PathBuf),
    /// In the binary.
    BuiltIn(&'static [BuiltInFile]),
    /// Another folder with one file that is not stored: its path below the folder, and its text.
    Draft(Box<Folder>, Box<(String, String)>),
}

impl Folder {
    /// The bytes of a file, by its path below the folder.
    pub(crate) fn read(&self, name: &str) -> io::Result<Cow<'static, [u8]>> {
        match self {
            Self::Disk(folder) => fs::read(folder.join(name)).map(Cow::Owned),
            Self::BuiltIn(files) => match files.iter().find(|(path, _)| *path == name) {
                Some((_, stored)) => stored.bytes(),
                None => Err(io::ErrorKind::NotFound.into()),
            },
            Self::Draft(_, draft) if draft.0 == name => {
                Ok(Cow::Owned(draft.1.clone().into_bytes()))
            }
            Self::Draft(folder, _) => folder.read(name),
        }
    }

    /// Reads a text file.
    pub(crate) fn read_text(&self, name: &str) -> io::Result<String> {
        String::from_utf8(self.read(name)?.into_owned()).map_err(|error| {
            let why = match error.as_bytes().starts_with(b"SQLite format 3\0") {
                true => {
                    "it is a SQLite database, not an application; `duet init` writes one for it"
                }
                false => "it is not UTF-8",
            };
            io::Error::new(io::ErrorKind::InvalidData, why)
        })
    }

    /// The files that match a pattern such as `views/*.sql`, sorted. `*` matches any characters of
    /// a file name, but no folders.
    pub(crate) fn matching(&self, pattern: &str) -> io::Result<Vec<String>> {
        let (folder, pattern) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let names = self.names(folder)?;
        let mut found: Vec<String> = names
            .into_iter()
            .filter(|name| matches(pattern, name))
            .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
            .collect();
        found.sort_unstable();
        Ok(found)
    }

    /// The names of the files in a subfolder.
    fn names(&self, below: &str) -> io::Result<Vec<String>> {
        match self {
            Self::Disk(folder) => names_on_disk(&folder.join(below)),
            Self::BuiltIn(files) => {
                let parts =
                    files.iter().map(|(path, _)| path.rsplit_once('/').unwrap_or(("", path)));
                let here = parts.filter(|(folder, _)| *folder == below);
                Ok(here.map(|(_, name)| name.to_owned()).collect())
            }
            Self::Draft(folder, draft) => {
                let (of, name) = draft.0.rsplit_once('/').unwrap_or(("", &draft.0));
                let mut names = match folder.names(below) {
                    Err(error) if of == below && error.kind() == io::ErrorKind::NotFound => {
                        Vec::new()
                    }
                    found => found?,
                };
                if of == below && names.iter().all(|known| known != name) {
                    names.push(name.to_owned());
                }
                Ok(names)
            }
        }
    }

    /// The base of relative paths in the settings: the folder on disk, or the current one.
    pub(crate) fn base(&self) -> &Path {
        match self {
            Self::Disk(folder) => folder,
            Self::BuiltIn(_) => Path::new(""),
            Self::Draft(folder, _) => folder.base(),
        }
    }

    /// Stores a file as a whole: another program sees the text before, or this one.
    ///
    /// # Errors
    /// Where it cannot be written, and always of an application that is built in.
    pub(crate) fn store(&self, name: &str, text: &str) -> io::Result<()> {
        let Self::Disk(folder) = self else {
            let why = "the application is built into the program: save the text as a file instead";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        };
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        // The rights of the file before, or those of other new files.
        let mode = fs::metadata(&path).map_or(0o644, |known| known.permissions().mode());
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn names_on_disk(folder: &Path) -> io::Result<Vec<String>> {
    // An empty path is the current folder.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// Whether a name matches a pattern with `*`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    // A hidden file must be matched explicitly.
    if head.is_empty() && name.starts_with('.') {
        return false;
    }
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("a.sql", "a.sql", true),
            ("a.sql", "b.sql", false),
            ("*.sql", "a.sql", true),
            ("*.sql", ".a.sql", false),
            ("*.sql", "a.sq", false),
            ("a*", "a", true),
            ("*", "x", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn built_in_and_disk_alike() {
        let files: &[BuiltInFile] = &[
            ("app.toml", Stored::Plain(b"x")),
            // A final block without compression: its length, the complement of that, and the byte.
            ("views/b.sql", Stored::Deflated(b"\x01\x01\x00\xfe\xffb")),
            ("views/a.sql", Stored::Plain(b"a")),
        ];
        let built_in = Folder::BuiltIn(files);
        let disk = tempfile::tempdir().unwrap();
        fs::create_dir_all(disk.path().join("views/deep.sql")).unwrap();
        for (name, stored) in files {
            fs::write(disk.path().join(name), stored.bytes().unwrap()).unwrap();
        }
        for folder in [built_in, Folder::Disk(disk.path().to_owned())] {
            assert_eq!(folder.matching("views/*.sql").unwrap(), ["views/a.sql", "views/b.sql"]);
            assert_eq!(folder.matching("*.toml").unwrap(), ["app.toml"]);
            assert_eq!(folder.read_text("views/b.sql").unwrap(), "b");
            assert!(folder.read("views/c.sql").is_err());
        }
    }
}
