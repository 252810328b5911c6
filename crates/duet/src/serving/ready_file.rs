//! The ready file: tells programs that requests are answered, where, and with which client.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::RunClient;
use crate::configuration_error::{ConfigurationError, Result};

/// Readable by its owner alone: it may hold a secret.
const MODE: u32 = 0o600;

/// A ready file; dropping it removes it, so that it exists only while requests are answered.
#[derive(Debug)]
pub(crate) struct ReadyFile {
    path: PathBuf,
}

impl ReadyFile {
    /// Removes that of an earlier run, so that it is not taken for this one's.
    ///
    /// # Errors
    /// `Setting` if it cannot be removed.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, &error)),
            _ => Ok(Self { path: path.to_owned() }),
        }
    }

    /// Writes it atomically.
    ///
    /// # Errors
    /// `Setting` if it is not writable.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.put(text.as_bytes()).map_err(|error| failed(&self.path, &error))
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        let mut temporary = self.path.clone().into_os_string();
        temporary.push(format!(".{}", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let write = || {
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(MODE).open(&temporary)?;
            file.write_all(bytes)?;
            fs::rename(&temporary, &self.path)
        };
        write().inspect_err(|_| drop(fs::remove_file(&temporary)))
    }
}

/// What the file says: where requests are answered, with which client, and where people sign in.
pub(crate) fn ready_text<'a>(
    urls: &[String],
    mounts: impl IntoIterator<Item = (&'a str, &'a str)>,
    client: Option<&RunClient>,
    console: Option<String>,
) -> String {
    let mounts: Map<String, Value> =
        mounts.into_iter().map(|(name, path)| (name.to_owned(), path.into())).collect();
    let mut ready = json!({ "urls": urls, "mounts": mounts });
    if let (Some(console), Some(object)) = (console, ready.as_object_mut()) {
        object.insert("console".into(), console.into());
    }
    if let (Some(client), Some(object)) = (client, ready.as_object_mut()) {
        object.insert("client_id".into(), client.client.id.as_str().into());
        object.insert("client_secret".into(), client.secret.expose().into());
    }
    format!("{ready}\n")
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = fs::remove_file(&self.path);
    }
}

fn failed(path: &Path, error: &io::Error) -> ConfigurationError {
    let message = format!("The ready file {} cannot be written: {error}.", path.display());
    ConfigurationError::file(message)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::serving::FixedCredentials;

    #[test]
    fn written_for_the_owner_alone_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ready.json");
        fs::write(&path, "stale").unwrap();
        let ready = ReadyFile::new(&path).unwrap();
        assert!(!path.exists());
        let client = RunClient::new(1, &FixedCredentials::default()).unwrap();
        let urls = ["http://127.0.0.1:1".to_owned()];
        ready.write(&ready_text(&urls, [("hr", "/ords/hr")], Some(&client), None)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let content: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let expected = json!({
            "urls": ["http://127.0.0.1:1"],
            "mounts": {"hr": "/ords/hr"},
            "client_id": client.client.id.as_str(),
            "client_secret": client.secret.expose(),
        });
        assert_eq!(content, expected);
        ready.write(&ready_text(&urls, [("hr", "/ords/hr")], None, None)).unwrap();
        let content: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(content, json!({ "urls": urls, "mounts": {"hr": "/ords/hr"} }));
        drop(ready);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there() {
        let ready = ReadyFile::new(Path::new("/nonexistent/r")).unwrap();
        let error = duet_model::Error::from(ready.write("{}").unwrap_err());
        assert!(error.message.contains("/nonexistent/r"));
    }
}
