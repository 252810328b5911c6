//! Who an agent or a run is: one PEM file with a certificate, its key, and the certificate of the authority that issued
//! those of the other side too. `duet bench agent --init` makes such files.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::message::ALPN;

/// A certificate with its key, and the authority of the other side.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    authority: Arc<RootCertStore>,
}

impl Identity {
    /// Reads a file: the first certificate is the owner's, the others are authorities.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let hint = "`duet bench agent --init` makes it";
        let text =
            std::fs::read(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let certificates = certificates.map_err(|error| format!("{shown} is not PEM: {error}"))?;
        let [certificate, authorities @ ..] = &*certificates else {
            return Err(format!("{shown} has no certificate: {hint}"));
        };
        let key = PrivateKeyDer::from_pem_slice(&text)
            .map_err(|_| format!("{shown} has no private key: {hint}"))?;
        let mut roots = RootCertStore::empty();
        if roots.add_parsable_certificates(authorities.iter().cloned()).0 == 0 {
            return Err(format!(
                "{shown} has no certificate of an authority behind its own: {hint}"
            ));
        }
        Ok(Self { certificate: certificate.clone(), key, authority: Arc::new(roots) })
    }

    /// TLS of an agent, which takes runs of its authority alone.
    pub(super) fn of_agent(self) -> Result<Arc<ServerConfig>, String> {
        let provider = Arc::new(ring::default_provider());
        let runs = WebPkiClientVerifier::builder_with_provider(self.authority, provider.clone());
        let runs = runs.build().map_err(|error| error.to_string())?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(runs)
            .with_single_cert(vec![self.certificate], self.key)
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(Arc::new(config))
    }

    /// TLS of a run, which takes agents of its authority alone.
    pub(super) fn of_run(self) -> Result<Arc<ClientConfig>, String> {
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| error.to_string())?
            .with_root_certificates(self.authority)
            .with_client_auth_cert(vec![self.certificate], self.key)
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(Arc::new(config))
    }
}
