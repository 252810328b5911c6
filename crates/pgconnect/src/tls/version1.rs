//! Server certificates of X.509 version 1, which the TLS library rejects.
//!
//! The commands in PostgreSQL's manual create them (with OpenSSL before 3.2), and libpq accepts
//! them. Only the simplest case is accepted: signed by a root of the file, which is of version 3
//! and an authority, without intermediates and without revocation lists.

use std::time::Duration;

use rustls::pki_types::{CertificateDer, SignatureVerificationAlgorithm, UnixTime};
use rustls::{CertificateError, Error};
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, NameConstraints};
use x509_cert::spki::AlgorithmIdentifierOwned;

/// Verifies that one of the roots issued the certificate, and that both are valid now.
pub(crate) fn verify(
    certificate: &Certificate,
    roots: &[CertificateDer<'static>],
    now: UnixTime,
    algorithms: &[&dyn SignatureVerificationAlgorithm],
) -> Result<(), Error> {
    let wanted = &certificate.tbs_certificate.issuer;
    let issuer = roots
        .iter()
        .filter_map(|root| Certificate::from_der(root).ok())
        .filter(|root| root.tbs_certificate.subject == *wanted && may_issue(root))
        .find(|root| is_signed_by(certificate, root, algorithms).unwrap_or(false));
    let issuer = issuer.ok_or(CertificateError::UnknownIssuer)?;
    in_time(&issuer, now)?;
    in_time(certificate, now)
}

/// Whether a root is an authority without name constraints.
fn may_issue(root: &Certificate) -> bool {
    let root = &root.tbs_certificate;
    let authority = matches!(root.get::<BasicConstraints>(), Ok(Some((_, limits))) if limits.ca);
    let signs = match root.get::<KeyUsage>() {
        Ok(usage) => usage.is_none_or(|(_, usage)| usage.key_cert_sign()),
        Err(_) => false,
    };
    authority && signs && matches!(root.get::<NameConstraints>(), Ok(None))
}

fn is_signed_by(
    certificate: &Certificate,
    issuer: &Certificate,
    algorithms: &[&dyn SignatureVerificationAlgorithm],
) -> Option<bool> {
    if certificate.tbs_certificate.signature != certificate.signature_algorithm {
        return None;
    }
    let message = certificate.tbs_certificate.to_der().ok()?;
    let signature = certificate.signature.as_bytes()?;
    let signed_with = identifier(&certificate.signature_algorithm)?;
    let key = &issuer.tbs_certificate.subject_public_key_info;
    let key_kind = identifier(&key.algorithm)?;
    let key = key.subject_public_key.as_bytes()?;
    Some(algorithms.iter().any(|algorithm| {
        algorithm.signature_alg_id().as_ref() == signed_with
            && algorithm.public_key_alg_id().as_ref() == key_kind
            && algorithm.verify_signature(key, &message, signature).is_ok()
    }))
}

/// An identifier in the library's form: the content of the ASN.1 sequence.
fn identifier(algorithm: &AlgorithmIdentifierOwned) -> Option<Vec<u8>> {
    let mut bytes = algorithm.oid.to_der().ok()?;
    if let Some(parameters) = &algorithm.parameters {
        bytes.extend(parameters.to_der().ok()?);
    }
    Some(bytes)
}

/// Whether a certificate is valid at a time.
pub(crate) fn in_time(certificate: &Certificate, now: UnixTime) -> Result<(), Error> {
    let validity = certificate.tbs_certificate.validity;
    let now = Duration::from_secs(now.as_secs());
    if now < validity.not_before.to_unix_duration() {
        return Err(CertificateError::NotValidYet.into());
    }
    if now > validity.not_after.to_unix_duration() {
        return Err(CertificateError::Expired.into());
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {

    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair, SigningKey};
    use rustls::crypto::ring;
    use x509_cert::der::Decode;
    use x509_cert::der::asn1::BitString;
    use x509_cert::{TbsCertificate, Version};

    use super::*;

    /// A root of version 3 and a certificate of version 1 that it signed, in DER, with the key of
    /// the latter. `authority` says whether the root may sign.
    pub(crate) fn pair(
        common_name: &str,
        authority: bool,
    ) -> (CertificateDer<'static>, CertificateDer<'static>, KeyPair) {
        let params = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).unwrap();
            params.distinguished_name.push(DnType::CommonName, name);
            params
        };
        let mut root = params("authority");
        if authority {
            root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        let root_key = KeyPair::generate().unwrap();
        let root = root.self_signed(&root_key).unwrap();
        let key = KeyPair::generate().unwrap();
        let own = params(common_name).self_signed(&key).unwrap();
        let own = Certificate::from_der(own.der()).unwrap();
        let issuer = Certificate::from_der(root.der()).unwrap();
        let tbs_certificate = TbsCertificate {
            version: Version::V1,
            issuer: issuer.tbs_certificate.subject,
            extensions: None,
            ..own.tbs_certificate
        };
        let signature = root_key.sign(&tbs_certificate.to_der().unwrap()).unwrap();
        let signature = BitString::from_bytes(&signature).unwrap();
        let signature_algorithm = own.signature_algorithm;
        let signed = Certificate { tbs_certificate, signature_algorithm, signature };
        (root.der().clone(), signed.to_der().unwrap().into(), key)
    }

    fn check(
        certificate: &CertificateDer<'static>,
        root: &CertificateDer<'static>,
        now: UnixTime,
    ) -> Result<(), Error> {
        let provider = ring::default_provider();
        let algorithms = provider.signature_verification_algorithms.all;
        let certificate = Certificate::from_der(certificate).unwrap();
        verify(&certificate, std::slice::from_ref(root), now, algorithms)
    }

    #[test]
    fn only_the_signing_authority_is_accepted() {
        let (root, certificate, _) = pair("db", true);
        let (other, _, _) = pair("db", true);
        let now = UnixTime::now();
        let unknown = Err(CertificateError::UnknownIssuer.into());
        assert_eq!(check(&certificate, &root, now), Ok(()));
        assert_eq!(check(&certificate, &other, now), unknown);
        assert_eq!(check(&certificate, &certificate, now), unknown);
        let (root, certificate, _) = pair("db", false);
        assert_eq!(check(&certificate, &root, now), unknown);
    }

    #[test]
    fn only_while_valid_and_unchanged() {
        let (root, certificate, _) = pair("db", true);
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        assert_eq!(check(&certificate, &root, at(0)), Err(CertificateError::NotValidYet.into()));
        assert_eq!(
            check(&certificate, &root, at(200_000_000_000)),
            Err(CertificateError::Expired.into())
        );
        let mut changed = certificate.to_vec();
        let name = changed.windows(2).position(|part| part == b"db").unwrap();
        changed[name] = b'e';
        let changed = CertificateDer::from(changed);
        assert!(check(&changed, &root, UnixTime::now()).is_err());
    }
}
