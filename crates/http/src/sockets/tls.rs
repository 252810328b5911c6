//! TLS: the certificate of the listeners, read again when its files change.
//!
//! A connection keeps the certificate that it began with. A pair of files that cannot be used, or
//! of which only one has been replaced so far, leaves the pair before it in force.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use duet_auth::Fingerprint;
use duet_model::{Code, Error, Result};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ServerConfig, version};

/// The name of HTTP/2 in handshakes.
pub(crate) const HTTP2: &[u8] = b"h2";

/// The permission bits of others: a private key is not for them.
const OTHERS: u32 = 0o007;

/// The one implementation of the cryptography.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The files of a certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, then those between it and the authority.
    pub certificate: PathBuf,
    /// Its private key, not encrypted.
    pub key: PathBuf,
}

impl TlsFiles {
    /// Reads the files as a start does.
    ///
    /// # Errors
    /// As the start: [`Code::Certificate`] where they cannot be read or do not belong together.
    pub fn check(self) -> Result<()> {
        Tls::open(self, true).map(drop)
    }
}

/// What the listeners show of themselves.
#[derive(Debug)]
pub(crate) struct Tls {
    pair: Arc<Pair>,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files. With `http2`, clients that speak it get it.
    ///
    /// # Errors
    /// [`Code::Certificate`] where they cannot be read or do not belong together.
    pub(crate) fn open(files: TlsFiles, http2: bool) -> Result<Self> {
        let (seen, current) = (FileVersions::of(&files)?, read(&files)?);
        let pair = Arc::new(Pair {
            files,
            current: RwLock::new(Arc::new(current)),
            seen: Mutex::new(Some(seen)),
        });
        let config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .map_err(Error::internal)?;
        let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(&pair) as _;
        let mut config = config.with_no_client_auth().with_cert_resolver(resolver);
        let protocols = [http2.then_some(HTTP2), Some(b"http/1.1")].into_iter().flatten();
        config.alpn_protocols = protocols.map(<[u8]>::to_vec).collect();
        Ok(Self { pair, config: Arc::new(config) })
    }

    /// What accepts a connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }

    /// Reads the files again if they have changed. Says whether a new pair is in force.
    ///
    /// # Errors
    /// As [`Tls::open`]; the pair before then stays in force, and the same files are not read
    /// again.
    pub(crate) fn refresh(&self) -> Result<bool> {
        let now = FileVersions::of(&self.pair.files)?;
        let mut seen = self.pair.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.as_ref() == Some(&now) {
            return Ok(false);
        }
        *seen = Some(now);
        let pair = Arc::new(read(&self.pair.files)?);
        *self.pair.current.write().unwrap_or_else(PoisonError::into_inner) = pair;
        Ok(true)
    }

    /// The same, whether they have changed or not.
    pub(crate) fn reload(&self) -> Result<bool> {
        *self.pair.seen.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.refresh()
    }
}

/// A certificate and its key, for every handshake that begins.
struct Pair {
    files: TlsFiles,
    current: RwLock<Arc<CertifiedKey>>,
    seen: Mutex<Option<FileVersions>>,
}

impl ResolvesServerCert for Pair {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("files", &self.files).finish_non_exhaustive()
    }
}

/// Which version of the files this is.
#[derive(PartialEq, Eq)]
struct FileVersions(Fingerprint, Fingerprint);

impl FileVersions {
    fn of(files: &TlsFiles) -> Result<Self> {
        let fingerprint = |path: &Path| -> Result<Fingerprint> {
            let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
            Ok(Fingerprint::of(&metadata))
        };
        Ok(Self(fingerprint(&files.certificate)?, fingerprint(&files.key)?))
    }
}

fn read(files: &TlsFiles) -> Result<CertifiedKey> {
    let (path, key_path) = (&files.certificate, &files.key);
    let text = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|error| wrong(path, "holds no certificate in PEM", error))?;
    if chain.is_empty() {
        return Err(wrong(path, "holds no certificate in PEM", "there is none"));
    }
    warn_of_readers(key_path);
    let text = fs::read(key_path).map_err(|error| unreadable(key_path, &error))?;
    let key = PrivateKeyDer::from_pem_slice(&text);
    let key = key.map_err(|error| {
        wrong(key_path, "holds no private key in PEM, or an encrypted one", error)
    })?;
    let pair = CertifiedKey::from_der(chain, key, &provider());
    pair.map_err(|error| {
        let what = format!("is not the key of {}, or of a kind not known", path.display());
        wrong(key_path, &what, error)
    })
}

fn warn_of_readers(path: &Path) {
    if fs::metadata(path).is_ok_and(|metadata| metadata.mode() & OTHERS != 0) {
        tracing::warn!("{} is a private key, and everybody can read it", path.display());
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::new(Code::Certificate, format!("{} cannot be read: {error}.", path.display()))
}

fn wrong(path: &Path, what: &str, cause: impl fmt::Display) -> Error {
    Error::new(Code::Certificate, format!("{} {what}.", path.display())).cause(cause)
}
