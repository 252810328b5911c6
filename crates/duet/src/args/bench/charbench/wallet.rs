//! Credentials as a zip file, as clouds hand them out. Its files are read into memory, which has paths below `/proc`
//! as long as this process runs: a private key never reaches a disk.

use std::fs::{File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};
use zip::ZipArchive;

/// The most bytes of a file: certificates and keys have some thousands.
const LONGEST: u64 = 1024 * 1024;

/// The files of a zip file.
pub(super) struct Wallet {
    archive: ZipArchive<File>,
}

impl Wallet {
    /// Opens it.
    ///
    /// # Errors
    /// If it is no zip file.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let archive = File::open(path)
            .map_err(|error| error.to_string())
            .and_then(|file| ZipArchive::new(file).map_err(|error| error.to_string()));
        Ok(Self { archive: archive.map_err(|why| format!("it is no zip file: {why}"))? })
    }

    /// The names of its files, without folders.
    pub(super) fn names(&self) -> Vec<String> {
        let files = self.archive.file_names().flatten().filter(|name| !name.ends_with('/'));
        files.map(|name| base(&name)).collect()
    }

    /// Reads a file into memory; returns its path, or `None` where there is no such file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn file(&mut self, name: &str) -> Result<Option<String>, String> {
        let whole = self.archive.file_names().flatten().find(|whole| base(whole) == name);
        let Some(whole) = whole.map(std::borrow::Cow::into_owned) else { return Ok(None) };
        let unreadable = |error: &dyn std::fmt::Display| format!("{whole} in it: {error}");
        let entry = self.archive.by_name(&whole).map_err(|error| unreadable(&error))?;
        let mut content = Vec::new();
        entry.take(LONGEST + 1).read_to_end(&mut content).map_err(|error| unreadable(&error))?;
        if content.len() as u64 > LONGEST {
            return Err(unreadable(&"it has more than 1 MiB"));
        }
        in_memory(&content).map(Some).map_err(|error| unreadable(&error))
    }
}

/// A name without its folders.
fn base(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

/// Puts a file into memory, readable by its owner alone, until this process ends.
fn in_memory(content: &[u8]) -> io::Result<String> {
    let mut file = File::from(memfd_create("duet-wallet", MemfdFlags::CLOEXEC)?);
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(content)?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    // It stays open: connections read it again.
    let _open = file.into_raw_fd();
    Ok(path)
}

#[cfg(test)]
mod tests {
    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    #[test]
    fn files_of_a_zip_have_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wallet.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, text) in [("in/ca.pem", "authority"), ("big", &*"0".repeat(2_000_000))] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let mut wallet = Wallet::open(&path).unwrap();
        assert_eq!(wallet.names(), ["ca.pem", "big"]);
        assert_eq!(wallet.file("root.crt"), Ok(None));
        let file = wallet.file("ca.pem").unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "authority");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(wallet.file("big").unwrap_err().contains("more than 1 MiB"));
        std::fs::write(&path, "text").unwrap();
        assert!(Wallet::open(&path).err().unwrap().starts_with("it is no zip file"));
    }
}
