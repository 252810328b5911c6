//! TLS to a service: the trusted certificates, and the explanation of failures.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use duet_client::connect::Unverified;
use duet_client::{Metered, confinement};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};

use super::address::Url;
use super::route::{Route, Trust};
use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// The protocols spoken within TLS (RFC 7301, IANA's registry of ALPN identifiers).
const HTTP1: &[u8] = b"http/1.1";
const HTTP2: &[u8] = b"h2";

/// A TLS session over a TCP stream.
pub(super) type Session = TlsStream<Metered<TcpStream>>;

/// Begins a session with a host.
///
/// # Errors
/// [`Outcome::Connection`], with a message that says what to do.
pub(super) async fn begin(
    url: &Url,
    host: &str,
    stream: Metered<TcpStream>,
) -> Result<Session, Failed> {
    let failed = |message: String| Failed::new(Outcome::Connection, message);
    let trust = url.trust.clone().unwrap_or_default();
    let config = config(&trust, &url.route).map_err(failed)?;
    let name = ServerName::try_from(host.to_owned());
    let name =
        name.map_err(|_| failed(format!("{host} is not a name that a certificate can have")))?;
    let session = TlsConnector::from(config).connect(name, stream).await;
    let session = session.map_err(|error| failed(words(host, &error)))?;
    let chosen = session.get_ref().1.alpn_protocol();
    if url.route.http2.is_some() && chosen != Some(HTTP2) {
        return Err(failed(format!("{host} does not choose HTTP/2 (ALPN): leave --http2 out")));
    }
    Ok(session)
}

/// Explains why a session ended where the server wants a certificate, which it says after the handshake.
pub(super) fn explained(host: &str, error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::AlertReceived(_)) => words(host, error),
        _ => error.to_string(),
    }
}

/// The configuration of sessions: read once for each way to reach a service, because thousands of users connect.
fn config(trust: &Trust, route: &Route) -> Result<Arc<ClientConfig>, String> {
    type Known = Vec<((Trust, Route), Arc<ClientConfig>)>;
    static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, config)) = known.iter().find(|((of, by), _)| of == trust && by == route) {
        return Ok(config.clone());
    }
    let config = Arc::new(make(trust, route)?);
    known.push(((trust.clone(), route.clone()), config.clone()));
    Ok(config)
}

fn make(trust: &Trust, route: &Route) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match trust {
        Trust::Anything => {
            builder.dangerous().with_custom_certificate_verifier(Unverified::verifier(&provider))
        }
        Trust::File(path) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(OfFile::read(path, &provider)?)),
        Trust::System => builder.with_root_certificates(system()?),
    };
    let mut config = match &route.certificate {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let (chain, key) = identity(path, route.key.as_ref().unwrap_or(path))?;
            let made = builder.with_client_auth_cert(chain, key);
            made.map_err(|error| match error {
                Error::InvalidCertificate(_) => {
                    "the client's certificate cannot be used: it must be an X.509 certificate of version 3"
                        .to_owned()
                }
                other => format!("the client's certificate cannot be used: {other}"),
            })?
        }
    };
    config.alpn_protocols = vec![if route.http2.is_some() { HTTP2 } else { HTTP1 }.to_vec()];
    Ok(config)
}

/// The client's certificate with its chain, and its key.
fn identity(
    certificate: &Path,
    key: &Path,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
    let read = |path: &Path| {
        confinement::read(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{} is not PEM: {error}", certificate.display()))?;
    if chain.is_empty() {
        return Err(format!("{} contains no PEM certificate", certificate.display()));
    }
    let key = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| {
        format!("{} has no private key without a password: {error}", key.display())
    })?;
    Ok((chain, key))
}

/// Verifies by the certificates of a file: those of authorities, and the server's own. One that signs itself, as
/// `openssl req -x509` makes it, is an authority's by its form, and the library takes none of these from a server.
#[derive(Debug)]
struct OfFile {
    library: Arc<WebPkiServerVerifier>,
    given: Vec<CertificateDer<'static>>,
}

impl OfFile {
    fn read(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let text = confinement::read(path).map_err(|error| {
            format!("the certificates of {} cannot be read: {error}", path.display())
        })?;
        let given: Vec<_> = CertificateDer::pem_slice_iter(&text).filter_map(Result::ok).collect();
        let mut roots = RootCertStore::empty();
        if roots.add_parsable_certificates(given.iter().cloned()).0 == 0 {
            return Err(format!("{} contains no PEM certificate", path.display()));
        }
        let library =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        let library = library.build().map_err(|error| error.to_string())?;
        Ok(Self { library, given })
    }
}

/// Whether the only objection is that a server uses an authority's certificate. The library looks at the time of
/// validity before.
fn is_of_authority(error: &Error) -> bool {
    let Error::InvalidCertificate(CertificateError::Other(other)) = error else { return false };
    format!("{:?}", other.0) == "CaUsedAsEndEntity"
}

impl ServerCertVerifier for OfFile {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.library.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            Err(error) if is_of_authority(&error) && self.given.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.library.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.library.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.library.supported_verify_schemes()
    }
}

fn system() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    match roots.add_parsable_certificates(found.certs) {
        (0, _) => Err("this machine has no trusted certificate authorities: name a file with \
                       --cacert, or SSL_CERT_FILE"
            .into()),
        _ => Ok(roots),
    }
}

/// Explains a failure, and says what to do.
fn words(host: &str, error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(certificate)) => {
            format!("the certificate of {host} {} (--insecure accepts any)", objection(certificate))
        }
        Some(Error::InvalidMessage(_)) => {
            format!("{host} does not speak TLS at this port: is it an http:// URL? ({error})")
        }
        Some(Error::AlertReceived(alert)) => match alert {
            AlertDescription::CertificateRequired | AlertDescription::AccessDenied => {
                format!("{host} asks for a client's certificate: give --cert and --key")
            }
            AlertDescription::NoApplicationProtocol => {
                format!("{host} does not speak the version of HTTP that is asked for: see --http2")
            }
            AlertDescription::ProtocolVersion => format!(
                "{host} supports no version of TLS that is allowed here: enable TLS 1.2 or 1.3"
            ),
            AlertDescription::UnrecognisedName => {
                format!("{host} has no service by that name: use a name that its TLS settings list")
            }
            _ => format!("{host} ended the TLS handshake: see its log ({alert:?})"),
        },
        Some(Error::PeerIncompatible(_)) => format!(
            "{host} and the bench have no TLS settings in common: enable TLS 1.2 or 1.3 with current ciphers on the server ({error})"
        ),
        _ => format!("the TLS handshake with {host} failed: {error}"),
    }
}

/// Explains what is wrong with a certificate, and says what to do.
fn objection(certificate: &CertificateError) -> String {
    let plain = match certificate {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "is from an unknown authority; name the authority's file with --cacert"
        }
        CertificateError::NotValidForName => "was issued for another name; use a name that it has",
        CertificateError::NotValidForNameContext { presented, .. } => {
            return format!(
                "was issued for another name; use a name that it has: {}",
                presented.join(", ")
            );
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "has expired; renew it, or look at this machine's clock"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet; look at the clocks of both machines"
        }
        CertificateError::Revoked => "was revoked; give the server a new one",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "is not for servers; issue it with the extended key usage serverAuth"
        }
        CertificateError::BadEncoding => "is damaged; issue it again",
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "is signed by an algorithm that is not supported; issue it with ECDSA P-256, or RSA of 2048 bits and SHA-256"
        }
        CertificateError::Other(other) => return of_library(&format!("{:?}", other.0)),
        other => return format!("cannot be used; issue another one ({other})"),
    };
    plain.to_owned()
}

/// Certificate errors that the TLS library forwards from its parser by name alone.
fn of_library(name: &str) -> String {
    let plain = match name {
        "CaUsedAsEndEntity" => {
            "is an authority's own certificate; give the server one that the authority has issued (basicConstraints CA:FALSE)"
        }
        "EndEntityUsedAsCa" => {
            "was issued by a certificate that is not an authority's; issue it by one with basicConstraints CA:TRUE"
        }
        "UnsupportedCertVersion" => {
            "is not an X.509 certificate of version 3; issue it again as one"
        }
        "UnsupportedCriticalExtension" => {
            "has a critical extension that is not supported; issue it without"
        }
        "NameConstraintViolation" => {
            "has a name that its authority may not issue; use another authority or name"
        }
        "PathLenConstraintViolated" => {
            "was issued through more authorities than one of them allows (pathLenConstraint)"
        }
        name => return format!("cannot be used; issue another one ({name})"),
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::client::WebPkiServerVerifier;
    use tokio_rustls::rustls::client::danger::ServerCertVerifier as _;
    use tokio_rustls::rustls::pki_types::UnixTime;

    use super::*;

    #[test]
    fn files_without_certificates() {
        let plain = Route::default();
        let nowhere = Trust::File("/nowhere".into());
        assert!(config(&nowhere, &plain).unwrap_err().contains("cannot be read"));
        let file = tempfile::NamedTempFile::new().unwrap();
        let trust = Trust::File(file.path().into());
        assert!(config(&trust, &plain).unwrap_err().contains("contains no PEM certificate"));
        let once = config(&Trust::Anything, &plain).unwrap();
        assert!(Arc::ptr_eq(&once, &config(&Trust::Anything, &plain).unwrap()));
        let own = Route { certificate: Some(file.path().into()), ..plain };
        let said = config(&Trust::Anything, &own).unwrap_err();
        assert!(said.contains("contains no PEM certificate"), "{said}");
    }

    #[test]
    fn certificates_have_words() {
        let message = |error: Error| words("h", &io::Error::other(error));
        let wrong = |error| message(Error::InvalidCertificate(error));
        assert!(wrong(CertificateError::UnknownIssuer).contains("--cacert"));
        assert!(wrong(CertificateError::NotValidForName).contains("another name"));
        assert!(wrong(CertificateError::Expired).contains("has expired"));
        assert!(message(Error::DecryptError).contains("handshake with h failed"));
        let alert = message(Error::AlertReceived(AlertDescription::CertificateRequired));
        assert!(alert.contains("asks for a client's certificate"), "{alert}");
        let constraint = of_library("PathLenConstraintViolated");
        assert!(constraint.contains("more authorities"), "{constraint}");
        assert!(of_library("Odd").ends_with("issue another one (Odd)"));
    }

    /// A server whose certificate is its authority's own, like many self-signed ones.
    #[test]
    fn an_authoritys_own_certificate() {
        let authority = duet_testkit::tls::Authority::new();
        let mut roots = RootCertStore::empty();
        let own = CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap();
        roots.add(own.clone()).unwrap();
        let verifier = WebPkiServerVerifier::builder_with_provider(
            Arc::new(roots),
            Arc::new(ring::default_provider()),
        );
        let name = ServerName::try_from("localhost").unwrap();
        let verified =
            verifier.build().unwrap().verify_server_cert(&own, &[], &name, &[], UnixTime::now());
        let message = words("h", &io::Error::other(verified.unwrap_err()));
        let expected = "the certificate of h is an authority's own certificate; give the server one that the authority has issued (basicConstraints CA:FALSE) (--insecure accepts any)";
        assert_eq!(message, expected);
    }
}
