//! Certificates of a throwaway server, as files: an authority, a server certificate for `localhost`, a
//! client certificate for user `postgres`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// What the server demands of TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// TLS.
    Server,
    /// TLS and a client certificate that names the user.
    ClientCertificate,
}

/// The certificates of a server, as files in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The authority, for `sslrootcert`.
    pub authority: PathBuf,
    /// A client certificate for user `postgres`, for `sslcert`.
    pub client_certificate: PathBuf,
    /// Its key, for `sslkey`.
    pub client_key: PathBuf,
    server_certificate: PathBuf,
    server_key: PathBuf,
    kind: Tls,
}

impl TlsFiles {
    /// Writes the certificates; the server's key belongs to `owner`, the client's to the caller.
    pub(super) fn write(
        certificates: &Certificates,
        folder: &Path,
        kind: Tls,
        owner: Option<(u32, u32)>,
    ) -> io::Result<Self> {
        let write = |name: &str, text: &str| -> io::Result<PathBuf> {
            let path = folder.join(name);
            fs::write(&path, text)?;
            let mode = if name.ends_with(".key") { 0o600 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            Ok(path)
        };
        let files = Self {
            authority: write("authority.crt", &certificates.authority)?,
            client_certificate: write("client.crt", &certificates.client.0)?,
            client_key: write("client.key", &certificates.client.1)?,
            server_certificate: write("server.crt", &certificates.server.0)?,
            server_key: write("server.key", &certificates.server.1)?,
            kind,
        };
        if let Some((uid, gid)) = owner {
            chown(&files.server_key, Some(uid), Some(gid))?;
        }
        Ok(files)
    }

    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let authority = (self.kind == Tls::ClientCertificate).then(|| text(&self.authority));
        [
            ("ssl", "on".to_owned()),
            ("ssl_cert_file", text(&self.server_certificate)),
            ("ssl_key_file", text(&self.server_key)),
        ]
        .into_iter()
        .chain(authority.map(|path| ("ssl_ca_file", path)))
    }
}

/// A certificate and its key, in PEM.
pub type Pair = (String, String);

/// The certificates of a server, in PEM.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// The authority that signed the others.
    pub authority: String,
    /// For `localhost`.
    pub server: Pair,
    /// For user `postgres`.
    pub client: Pair,
}
