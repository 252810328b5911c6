//! Reads certificates, keys and revocation lists from PEM files.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{Error, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};

use super::ClientFiles;

type Certificates = Vec<CertificateDer<'static>>;

/// An error about the file of a parameter.
pub(crate) fn wrong(parameter: &str, message: &str) -> Error {
    Error::parameter(parameter, message)
}

/// Verification is required, and there are no root certificates.
pub(crate) fn no_roots() -> Error {
    wrong("sslrootcert", "The file of root certificates does not exist.").hint(
        "Name it in `sslrootcert`, use the system's with `sslrootcert=system`, \
         or choose an `sslmode` that does not verify.",
    )
}

/// The root certificates of a file.
pub(crate) fn roots(file: &Path) -> Result<Certificates> {
    let certificates = items(&read("sslrootcert", file)?);
    certificates.filter(|list: &Certificates| !list.is_empty()).ok_or_else(|| {
        wrong("sslrootcert", "The file of root certificates has no certificate in PEM form.")
            .cause(file.display())
    })
}

/// The root certificates of the system (those of SSL_CERT_FILE, if that is set).
pub(crate) fn system_roots() -> Result<Certificates> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        return Err(wrong("sslrootcert", "The system has no root certificates.")
            .cause(format!("{:?}", found.errors)));
    }
    Ok(found.certs)
}

/// The client's certificates and key; `None` without a certificate.
pub(crate) fn client_certificate(
    files: &ClientFiles,
) -> Result<Option<(Certificates, PrivateKeyDer<'static>)>> {
    if !files.certificate.exists() {
        return Ok(None);
    }
    let chain = items(&read("sslcert", &files.certificate)?);
    let chain = chain.filter(|list: &Certificates| !list.is_empty()).ok_or_else(|| {
        wrong("sslcert", "The client certificate is not in PEM form.")
            .cause(files.certificate.display())
    })?;
    Ok(Some((chain, key(&files.key)?)))
}

fn key(file: &Path) -> Result<PrivateKeyDer<'static>> {
    let metadata = fs::metadata(file).map_err(|error| unreadable("sslkey", file, &error))?;
    // The same modes as in libpq: root's keys may be group-readable, other keys only
    // owner-readable.
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        let message = "The client's key can be read by others: its mode must be 0600 or less, \
                       or 0640 if it belongs to root.";
        return Err(wrong("sslkey", message).cause(file.display()));
    }
    let text = read("sslkey", file)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        let message = if text.windows(9).any(|part| part == b"ENCRYPTED") {
            "The client's key is encrypted, which is not supported: store it unencrypted, \
             readable by its owner alone."
        } else {
            "The client's key is not in PEM form."
        };
        wrong("sslkey", message).cause(format!("{}: {error}", file.display()))
    })
}

/// The revocation lists of files and folders.
pub(crate) fn revocation_lists(
    paths: &[PathBuf],
) -> Result<Vec<CertificateRevocationListDer<'static>>> {
    let mut lists = Vec::new();
    for path in paths {
        let files = if path.is_dir() { folder(path)? } else { vec![path.clone()] };
        for file in files {
            let found = items(&read("sslcrl", &file)?).ok_or_else(|| {
                wrong("sslcrl", "A revocation list is not in PEM form.").cause(file.display())
            })?;
            lists.extend::<Vec<_>>(found);
        }
    }
    Ok(lists)
}

fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| unreadable("sslcrldir", path, &error))?;
    Ok(entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file()).collect())
}

fn read(parameter: &str, file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| unreadable(parameter, file, &error))
}

fn unreadable(parameter: &str, file: &Path, error: &io::Error) -> Error {
    wrong(parameter, &format!("The file of `{parameter}` cannot be read."))
        .cause(format!("{}: {error}", file.display()))
}

/// All items of a kind; `None` if the text is malformed.
fn items<T: PemObject>(text: &[u8]) -> Option<Vec<T>> {
    T::pem_slice_iter(text).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::SettingPlace;

    #[test]
    fn keys_must_be_private_and_plain() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let plain = rcgen::KeyPair::generate().unwrap().serialize_pem();
        let encrypted = plain.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        for (text, mode, expected) in [
            (plain.as_str(), 0o600, ""),
            (&plain, 0o644, "others"),
            (&plain, 0o660, "others"),
            (&encrypted, 0o600, "encrypted"),
            ("nothing", 0o600, "PEM"),
        ] {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let message = key(&file).err().map(|error| error.message).unwrap_or_default();
            assert!(message.contains(expected) && message.is_empty() == expected.is_empty());
        }
        let missing = key(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.message, "The file of `sslkey` cannot be read.");
    }

    #[test]
    fn certificates_are_optional_but_must_be_valid() {
        let folder = tempfile::tempdir().unwrap();
        let certificate = folder.path().join("c.pem");
        let files = ClientFiles { certificate: certificate.clone(), key: "/nonexistent".into() };
        assert!(client_certificate(&files).unwrap().is_none());
        fs::write(&certificate, "-----BEGIN CERTIFICATE-----\n!\n").unwrap();
        let place = |parameter: &str| Some(SettingPlace::Parameter(parameter.into()));
        assert_eq!(client_certificate(&files).unwrap_err().place, place("sslcert"));
        assert_eq!(roots(&certificate).unwrap_err().place, place("sslrootcert"));
        assert_eq!(revocation_lists(&[certificate]).unwrap_err().place, place("sslcrl"));
        assert!(revocation_lists(&[folder.path().join("none")]).is_err());
    }
}
