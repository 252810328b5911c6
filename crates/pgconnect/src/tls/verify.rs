//! Verifies a server's certificate.
//!
//! rustls' own library verifies chains and host names. This module adds three cases that libpq
//! accepts and that library does not, because certificates made after PostgreSQL's manual need
//! them: a server certificate that is itself in the file of root certificates, one of X.509 version
//! 1 ([`version1`]), and the host name in the common name of a certificate without alternative
//! names.

use std::sync::Arc;

use crate::Result;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::{Certificate, Version};

use super::version1::in_time;
use super::{files, version1};

/// The attribute type `commonName` (RFC 5280, appendix A.1).
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Verifies the chain, and the host name if required.
#[derive(Debug)]
pub(crate) struct ChainVerifier {
    library: Arc<WebPkiServerVerifier>,
    algorithms: WebPkiSupportedAlgorithms,
    roots: Vec<CertificateDer<'static>>,
    /// Whether there are lists of revoked certificates.
    lists: bool,
    name: bool,
}

impl ChainVerifier {
    pub(crate) fn verifier(
        provider: &Arc<CryptoProvider>,
        roots: Vec<CertificateDer<'static>>,
        lists: Vec<CertificateRevocationListDer<'static>>,
        name: bool,
    ) -> Result<Arc<dyn ServerCertVerifier>> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().cloned());
        let algorithms = provider.signature_verification_algorithms;
        let has_lists = !lists.is_empty();
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider));
        let library =
            builder.with_crls(lists).enforce_revocation_expiration().build().map_err(|error| {
                let message = "The root certificates or revocation lists cannot be used.";
                files::wrong("sslrootcert", message).cause(error)
            })?;
        Ok(Arc::new(Self { library, algorithms, roots, lists: has_lists, name }))
    }

    /// The library checks the host name last, so a wrong name implies a valid chain.
    fn chain(&self, shown: &ServerCertificates<'_>, name: &ServerName<'_>) -> Result<(), Error> {
        if self.roots.iter().any(|root| root == shown.certificate) {
            return in_time(&parse(shown.certificate)?, shown.now);
        }
        if !self.lists && is_version1(shown.certificate) {
            let certificate = parse(shown.certificate)?;
            return version1::verify(&certificate, &self.roots, shown.now, self.algorithms.all);
        }
        let ServerCertificates { certificate, intermediates, ocsp, now } = *shown;
        match self.library.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ))
            | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The server's certificates.
struct ServerCertificates<'a> {
    certificate: &'a CertificateDer<'a>,
    intermediates: &'a [CertificateDer<'a>],
    ocsp: &'a [u8],
    now: UnixTime,
}

impl ServerCertVerifier for ChainVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.chain(&ServerCertificates { certificate, intermediates, ocsp, now }, name)?;
        if self.name {
            verify_name(certificate, name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.library.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if is_version1(certificate) {
            return verify_by_key(message, certificate, signature, &self.algorithms);
        }
        self.library.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.library.supported_verify_schemes()
    }
}

/// Accepts any certificate, but verifies that the server has its key: channel binding depends on
/// it.
#[derive(Debug)]
pub struct Unverified(WebPkiSupportedAlgorithms);

impl Unverified {
    /// Uses the keys and signatures of a provider.
    pub fn verifier(provider: &CryptoProvider) -> Arc<dyn ServerCertVerifier> {
        Arc::new(Self(provider.signature_verification_algorithms))
    }
}

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_by_key(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// Verifies a signature by the raw key: the library would not parse a certificate of version 1.
fn verify_by_key(
    message: &[u8],
    certificate: &CertificateDer<'_>,
    signature: &DigitallySignedStruct,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, Error> {
    let key = parse(certificate)?.tbs_certificate.subject_public_key_info.to_der();
    let key = SubjectPublicKeyInfoDer::from(key.map_err(|_| CertificateError::BadEncoding)?);
    verify_tls13_signature_with_raw_key(message, &key, signature, algorithms)
}

fn is_version1(certificate: &CertificateDer<'_>) -> bool {
    parse(certificate).is_ok_and(|parsed| parsed.tbs_certificate.version == Version::V1)
}

fn parse(certificate: &CertificateDer<'_>) -> Result<Certificate, Error> {
    Certificate::from_der(certificate)
        .map_err(|_| Error::InvalidCertificate(CertificateError::BadEncoding))
}

/// By the alternative names; by the common name only if there is no alternative name of the host's
/// kind, as in libpq.
fn verify_name(certificate: &CertificateDer<'_>, name: &ServerName<'_>) -> Result<(), Error> {
    let by_library = ParsedCertificate::try_from(certificate)
        .and_then(|certificate| verify_server_name(&certificate, name));
    if by_library.is_ok() {
        return Ok(());
    }
    let certificate = parse(certificate)?;
    let by_common_name = !has_alternative(&certificate, name)
        && common_names(&certificate).any(|pattern| matches(pattern, &name.to_str()));
    if by_common_name { Ok(()) } else { Err(CertificateError::NotValidForName.into()) }
}

fn has_alternative(certificate: &Certificate, name: &ServerName<'_>) -> bool {
    let same_kind = |alternative: &GeneralName| {
        matches!(
            (alternative, name),
            (GeneralName::DnsName(_), ServerName::DnsName(_))
                | (GeneralName::IpAddress(_), ServerName::IpAddress(_))
        )
    };
    match certificate.tbs_certificate.get::<SubjectAltName>() {
        Ok(Some((_, names))) => names.0.iter().any(same_kind),
        Ok(None) => false,
        // An unreadable extension may forbid the common name.
        Err(_) => true,
    }
}

fn common_names(certificate: &Certificate) -> impl Iterator<Item = &str> {
    let parts = certificate.tbs_certificate.subject.0.iter().flat_map(|part| part.0.iter());
    parts
        .filter(|part| part.oid == COMMON_NAME)
        .filter_map(|part| str::from_utf8(part.value.value()).ok())
}

/// A `*` matches one whole label, the first (RFC 6125, section 6.4.3).
fn matches(pattern: &str, host: &str) -> bool {
    let Some(suffix) = pattern.strip_prefix("*.") else {
        return pattern.eq_ignore_ascii_case(host);
    };
    let Some((label, rest)) = host.split_once('.') else { return false };
    !label.is_empty() && suffix.contains('.') && rest.eq_ignore_ascii_case(suffix)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
    use rustls::crypto::ring;

    use super::*;

    /// A certificate with a common name and alternative names, and the issuer for others.
    fn certificate(
        common: &str,
        names: &[&str],
        authority: bool,
        issuer: Option<&Issuer<'static, KeyPair>>,
    ) -> (CertificateDer<'static>, Issuer<'static, KeyPair>) {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, common);
        if authority {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        let key = KeyPair::generate().unwrap();
        let made = match issuer {
            Some(issuer) => params.signed_by(&key, issuer).unwrap(),
            None => params.self_signed(&key).unwrap(),
        };
        (made.der().clone(), Issuer::new(params, key))
    }

    fn verify(
        root: &CertificateDer<'static>,
        shown: &CertificateDer<'static>,
        host: &str,
        name: bool,
    ) -> Result<(), Error> {
        let provider = Arc::new(ring::default_provider());
        let verifier =
            ChainVerifier::verifier(&provider, vec![root.clone()], Vec::new(), name).unwrap();
        let host = ServerName::try_from(host.to_owned()).unwrap();
        verifier.verify_server_cert(shown, &[], &host, &[], UnixTime::now()).map(drop)
    }

    #[test]
    fn a_chain_and_a_name() {
        let (root, issuer) = certificate("authority", &[], true, None);
        let (other, _) = certificate("other", &[], true, None);
        let (shown, _) = certificate("x", &["db.example", "127.0.0.1"], false, Some(&issuer));
        for host in ["db.example", "127.0.0.1"] {
            assert_eq!(verify(&root, &shown, host, true), Ok(()));
        }
        for host in ["x", "db.example.org", "127.0.0.2"] {
            assert!(verify(&root, &shown, host, true).is_err(), "{host}");
            assert_eq!(verify(&root, &shown, host, false), Ok(()));
            assert!(verify(&other, &shown, host, false).is_err(), "{host}");
        }
    }

    #[test]
    fn the_common_name_where_there_is_no_other() {
        let (root, issuer) = certificate("authority", &[], true, None);
        let (shown, _) = certificate("db.example", &[], false, Some(&issuer));
        assert_eq!(verify(&root, &shown, "DB.example", true), Ok(()));
        assert!(verify(&root, &shown, "other.example", true).is_err());
        let (shown, _) = certificate("db.example", &["else.example"], false, Some(&issuer));
        assert!(verify(&root, &shown, "db.example", true).is_err());
        let (shown, _) = certificate("127.0.0.1", &["else.example"], false, Some(&issuer));
        assert_eq!(verify(&root, &shown, "127.0.0.1", true), Ok(()));
    }

    #[test]
    fn a_certificate_that_is_its_own_root() {
        for authority in [false, true] {
            let (own, _) = certificate("db.example", &[], authority, None);
            let (other, _) = certificate("db.example", &[], authority, None);
            assert_eq!(verify(&own, &own, "db.example", true), Ok(()));
            assert!(verify(&own, &own, "else.example", true).is_err());
            assert!(verify(&own, &other, "db.example", true).is_err());
        }
        let (own, _) = certificate("db.example", &[], true, None);
        let parsed = parse(&own).unwrap();
        let at =
            |seconds| in_time(&parsed, UnixTime::since_unix_epoch(Duration::from_secs(seconds)));
        assert_eq!(at(0), Err(CertificateError::NotValidYet.into()));
        assert_eq!(at(200_000_000_000), Err(CertificateError::Expired.into()));
    }

    #[test]
    fn a_certificate_of_version_1() {
        let (root, shown, _) = version1::tests::pair("db.example", true);
        assert_eq!(verify(&root, &shown, "db.example", true), Ok(()));
        let wrong = Err(CertificateError::NotValidForName.into());
        assert_eq!(verify(&root, &shown, "else.example", true), wrong);
        assert_eq!(verify(&root, &shown, "else.example", false), Ok(()));
        let (other, _, _) = version1::tests::pair("db.example", true);
        assert!(verify(&other, &shown, "db.example", false).is_err());
    }

    #[test]
    fn wildcards_stand_for_one_label() {
        for (pattern, host, expected) in [
            ("*.example.org", "db.example.org", true),
            ("*.example.org", "a.db.example.org", false),
            ("*.example.org", "example.org", false),
            ("*.org", "example.org", false),
            ("*", "localhost", false),
            ("d*.example.org", "db.example.org", false),
            ("db", "DB", true),
        ] {
            assert_eq!(matches(pattern, host), expected, "{pattern} {host}");
        }
    }
}
