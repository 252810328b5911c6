//! TLS according to libpq's `ssl…` parameters.
//!
//! Verification depends on the mode and on whether a file of root certificates exists: with one,
//! the server's chain is checked in every mode; without one, only the modes that require
//! verification fail. `verify-full` alone checks host names.

mod files;
mod verify;
pub(crate) mod version1;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Result;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, SupportedProtocolVersion};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::strings::values::Values;
pub use verify::Unverified;

/// The name of PostgreSQL's protocol in TLS (IANA's registry of ALPN identifiers).
const ALPN: &[u8] = b"postgresql";

/// The value of `sslmode`, from the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The version of TLS, from the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Old,
    Tls12,
    Tls13,
}

/// The location of the root certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Roots {
    /// The system's.
    System,
    /// A file, which may be missing.
    File(PathBuf),
    /// None: no file is given, and there is no home folder.
    Nowhere,
}

/// The settings of TLS.
#[derive(Clone, Debug)]
pub(crate) struct TlsSettings {
    pub(crate) mode: SslMode,
    /// The handshake comes first, without PostgreSQL's request for TLS.
    pub(crate) direct: bool,
    roots: Roots,
    client: Option<ClientFiles>,
    revocation: Vec<PathBuf>,
    server_name: bool,
    versions: (Version, Version),
}

/// The client's certificate, which may be missing, and its key.
#[derive(Clone, Debug)]
struct ClientFiles {
    certificate: PathBuf,
    key: PathBuf,
}

impl TlsSettings {
    /// `require` is the older form of `sslmode`, PGREQUIRESSL.
    pub(crate) fn from_values(
        values: &Values,
        home: Option<&Path>,
        require: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let folder = home.map(|home| home.join(".postgresql"));
        let in_folder = |name| folder.as_ref().map(|folder| folder.join(name));
        let roots = match values.text("sslrootcert") {
            Some("system") => Roots::System,
            Some(file) => Roots::File(file.into()),
            None => in_folder("root.crt").map_or(Roots::Nowhere, Roots::File),
        };
        let settings = Self {
            mode: mode(values, &roots, require)?,
            direct: values.choice("sslnegotiation", &[("postgres", false), ("direct", true)])?
                == Some(true),
            client: client_files(values, in_folder)?,
            revocation: revocation(values, in_folder),
            server_name: values.choice("sslsni", &[("0", false), ("1", true)])? != Some(false),
            versions: versions(values)?,
            roots,
        };
        settings.check(values)?;
        settings.warn(values, warnings);
        Ok(settings)
    }

    fn check(&self, values: &Values) -> Result<()> {
        if self.direct && self.mode < SslMode::Require {
            let what = "must be `require`, `verify-ca` or `verify-full` with \
                        `sslnegotiation=direct`.";
            return Err(values.wrong("sslmode", what));
        }
        if self.roots == Roots::System && self.mode != SslMode::VerifyFull {
            let what = "must be `verify-full` with `sslrootcert=system`: anybody can get a \
                        certificate from a public authority.";
            return Err(values.wrong("sslmode", what));
        }
        Ok(())
    }

    /// libpq ignores these silently; a user who named a file should know.
    fn warn(&self, values: &Values, warnings: &mut Vec<String>) {
        let mut absent = |name: &str, effect: &str| {
            if let Some(file) = values.text(name)
                && !Path::new(file).exists()
            {
                warnings.push(format!("`{name}` names {file}, which does not exist: {effect}."));
            }
        };
        if self.mode != SslMode::Disable {
            absent("sslcert", "no client certificate is sent");
        }
        if self.mode < SslMode::VerifyCa && self.mode != SslMode::Disable && self.has_file() {
            absent("sslrootcert", "the server's certificate is not verified");
        }
    }

    fn has_file(&self) -> bool {
        matches!(self.roots, Roots::File(_))
    }

    /// Reads the files and creates the TLS connector.
    pub(crate) fn load(&self) -> Result<MakeRustlsConnect> {
        let provider = Arc::new(ring::default_provider());
        let verifier = self.verifier(&provider)?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&self.protocol_versions())
            .map_err(crate::Error::internal)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match self.client.as_ref().map(files::client_certificate).transpose()? {
            Some(Some((chain, key))) => {
                builder.with_client_auth_cert(chain, key).map_err(|error| {
                    let (parameter, message) = match &error {
                        rustls::Error::InvalidCertificate(_) => (
                            "sslcert",
                            "The client certificate cannot be used: it must be an X.509 certificate of version 3.",
                        ),
                        rustls::Error::InconsistentKeys(_) => {
                            ("sslkey", "The key does not belong to the client certificate.")
                        }
                        _ => ("sslkey", "The client's key is of no kind that can be used."),
                    };
                    files::wrong(parameter, message).cause(error)
                })?
            }
            _ => builder.with_no_client_auth(),
        };
        config.enable_sni = self.server_name;
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(MakeRustlsConnect::new(config))
    }

    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
        let roots = match &self.roots {
            Roots::System => files::system_roots()?,
            Roots::File(file) if file.exists() => files::roots(file)?,
            Roots::File(file) if self.mode >= SslMode::VerifyCa => {
                return Err(files::no_roots().cause(file.display()));
            }
            Roots::Nowhere if self.mode >= SslMode::VerifyCa => return Err(files::no_roots()),
            Roots::File(_) | Roots::Nowhere => return Ok(Unverified::verifier(provider)),
        };
        let lists = files::revocation_lists(&self.revocation)?;
        verify::ChainVerifier::verifier(provider, roots, lists, self.mode == SslMode::VerifyFull)
    }

    fn protocol_versions(&self) -> Vec<&'static SupportedProtocolVersion> {
        let (oldest, newest) = self.versions;
        let known =
            [(Version::Tls13, &rustls::version::TLS13), (Version::Tls12, &rustls::version::TLS12)];
        let wanted = known.into_iter().filter(|(one, _)| (oldest..=newest).contains(one));
        wanted.map(|(_, version)| version).collect()
    }
}

fn mode(values: &Values, roots: &Roots, require: bool) -> Result<SslMode> {
    let words = [
        ("disable", SslMode::Disable),
        ("allow", SslMode::Allow),
        ("prefer", SslMode::Prefer),
        ("require", SslMode::Require),
        ("verify-ca", SslMode::VerifyCa),
        ("verify-full", SslMode::VerifyFull),
    ];
    let default = match roots {
        Roots::System => SslMode::VerifyFull,
        _ if require => SslMode::Require,
        _ => SslMode::Prefer,
    };
    Ok(values.choice("sslmode", &words)?.unwrap_or(default))
}

fn client_files(
    values: &Values,
    in_folder: impl Fn(&'static str) -> Option<PathBuf>,
) -> Result<Option<ClientFiles>> {
    let mode = values.choice("sslcertmode", &[("disable", 0), ("allow", 1), ("require", 2)])?;
    if mode == Some(2) {
        let what = "cannot be `require`: the driver does not see whether the server asked for a \
                    certificate. Use `allow`.";
        return Err(values.wrong("sslcertmode", what));
    }
    let file = |name, default| values.text(name).map(PathBuf::from).or_else(|| in_folder(default));
    let certificate = file("sslcert", "postgresql.crt").filter(|_| mode != Some(0));
    let key = file("sslkey", "postgresql.key");
    // Without a home folder and with only one of the two given, reading reports the other.
    Ok(certificate.map(|certificate| ClientFiles { certificate, key: key.unwrap_or_default() }))
}

/// The files of revoked certificates. A given one must exist; the default one may.
fn revocation(
    values: &Values,
    in_folder: impl Fn(&'static str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let (file, folder) = (values.text("sslcrl"), values.text("sslcrldir"));
    if file.is_none() && folder.is_none() {
        return in_folder("root.crl").filter(|file| file.exists()).into_iter().collect();
    }
    [file, folder].into_iter().flatten().map(PathBuf::from).collect()
}

fn versions(values: &Values) -> Result<(Version, Version)> {
    let words = [
        ("TLSv1", Version::Old),
        ("TLSv1.1", Version::Old),
        ("TLSv1.2", Version::Tls12),
        ("TLSv1.3", Version::Tls13),
    ];
    let oldest = values.choice("ssl_min_protocol_version", &words)?.unwrap_or(Version::Tls12);
    let newest = values.choice("ssl_max_protocol_version", &words)?.unwrap_or(Version::Tls13);
    if newest == Version::Old {
        let what = "must be `TLSv1.2` or `TLSv1.3`: older versions are broken and not spoken.";
        return Err(values.wrong("ssl_max_protocol_version", what));
    }
    if oldest > newest {
        let what = "must not be newer than `ssl_max_protocol_version`.";
        return Err(values.wrong("ssl_min_protocol_version", what));
    }
    Ok((oldest, newest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<(TlsSettings, Vec<String>)> {
        let pairs = crate::strings::url::parse(text)?;
        let values = Values::gather(pairs, &|_| None)?;
        let mut warnings = Vec::new();
        let home = Path::new("/nonexistent/home");
        let settings = TlsSettings::from_values(&values, Some(home), false, &mut warnings)?;
        Ok((settings, warnings))
    }

    #[test]
    fn modes() {
        let mode = |text: &str| settings(text).unwrap().0.mode;
        assert_eq!(mode(""), SslMode::Prefer);
        assert_eq!(mode("sslmode=allow"), SslMode::Allow);
        assert_eq!(mode("sslmode=verify-ca"), SslMode::VerifyCa);
        assert_eq!(mode("sslrootcert=system"), SslMode::VerifyFull);
        assert_eq!(mode("postgres://h/?ssl=true"), SslMode::Require);
        for text in [
            "sslrootcert=system sslmode=require",
            "sslnegotiation=direct",
            "sslmode=verify_full",
            "sslnegotiation=later",
            "sslcertmode=require",
            "sslsni=yes",
            "ssl_max_protocol_version=TLSv1.1",
            "ssl_min_protocol_version=TLSv1.3 ssl_max_protocol_version=TLSv1.2",
        ] {
            assert!(settings(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files() {
        let (settings, warnings) = settings("sslcert=/c.pem sslrootcert=/r.pem").unwrap();
        assert_eq!(settings.roots, Roots::File("/r.pem".into()));
        let client = settings.client.unwrap();
        assert_eq!(client.certificate, Path::new("/c.pem"));
        assert_eq!(client.key, Path::new("/nonexistent/home/.postgresql/postgresql.key"));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        let (settings, warnings) = self::settings("sslcertmode=disable").unwrap();
        assert!(settings.client.is_none() && settings.revocation.is_empty());
        assert!(warnings.is_empty());
    }

    #[test]
    fn missing_files_are_reported_at_once() {
        let load = |text: &str| settings(text).unwrap().0.load().err().map(|error| error.place);
        assert_eq!(load("sslmode=require"), None);
        for mode in ["verify-ca", "verify-full"] {
            let place = Some(crate::SettingPlace::Parameter("sslrootcert".into()));
            assert_eq!(load(&format!("sslmode={mode}")), Some(place));
        }
    }

    #[test]
    fn protocol_versions() {
        let versions = |text: &str| settings(text).unwrap().0.protocol_versions().len();
        assert_eq!(versions(""), 2);
        assert_eq!(versions("ssl_min_protocol_version=TLSv1"), 2);
        assert_eq!(versions("ssl_min_protocol_version=TLSv1.3"), 1);
        assert_eq!(versions("ssl_max_protocol_version=TLSv1.2"), 1);
    }
}
