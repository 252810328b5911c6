//! TLS for tests: an authority of certificates, a client that trusts it alone, and a server that
//! answers every request alike.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use duet_throwaway::Certificates;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion,
};

/// The read timeout: after it, the request counts as lost.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A certificate for this machine that signs itself, with its key, both in PEM: an authority's by its form, as
/// `openssl req -x509` makes it.
///
/// # Panics
/// If it cannot be made.
pub fn self_signed() -> (String, String) {
    let made = || -> Result<_, rcgen::Error> {
        let mut params = CertificateParams::new(["localhost".into(), "127.0.0.1".into()])?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        Ok((params.self_signed(&key)?.pem(), key.serialize_pem()))
    };
    made().unwrap_or_else(|error| panic!("certificate: {error}"))
}

/// An authority that signs certificates.
#[derive(Debug)]
pub struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// A new authority.
    ///
    /// # Panics
    /// If its certificate cannot be made.
    #[expect(clippy::new_without_default, reason = "making a key is no default value")]
    pub fn new() -> Self {
        Self::try_new().unwrap_or_else(|error| panic!("authority: {error}"))
    }

    /// Certificates for a throwaway PostgreSQL server.
    ///
    /// # Panics
    /// If they cannot be made.
    pub fn for_postgres() -> Certificates {
        let made = || -> Result<Certificates, rcgen::Error> {
            let authority = Self::try_new()?;
            Ok(Certificates {
                server: authority.signed("localhost", ExtendedKeyUsagePurpose::ServerAuth)?,
                client: authority.signed("postgres", ExtendedKeyUsagePurpose::ClientAuth)?,
                authority: authority.pem().to_owned(),
            })
        };
        made().unwrap_or_else(|error| panic!("certificates: {error}"))
    }

    fn try_new() -> Result<Self, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "Throwaway authority");
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Self { pem, issuer: Issuer::new(params, key) })
    }

    /// Its certificate, in PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A new certificate for `localhost`, `127.0.0.1` and `::1` with its key, both in PEM.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn server(&self) -> (String, String) {
        self.signed("localhost", ExtendedKeyUsagePurpose::ServerAuth)
            .unwrap_or_else(|error| panic!("certificate: {error}"))
    }

    /// A new certificate for a client of this name with its key, both in PEM.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn client(&self, name: &str) -> (String, String) {
        self.signed(name, ExtendedKeyUsagePurpose::ClientAuth)
            .unwrap_or_else(|error| panic!("certificate: {error}"))
    }

    /// A certificate with its key; one of a server is for this machine.
    fn signed(
        &self,
        common_name: &str,
        usage: ExtendedKeyUsagePurpose,
    ) -> Result<(String, String), rcgen::Error> {
        let names: &[&str] = match usage {
            ExtendedKeyUsagePurpose::ServerAuth => &["localhost", "127.0.0.1", "::1"],
            _ => &[],
        };
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, common_name);
        params.extended_key_usages.push(usage);
        let key = KeyPair::generate()?;
        Ok((params.signed_by(&key, &self.issuer)?.pem(), key.serialize_pem()))
    }

    /// Connects to `https://127.0.0.1:port`, trusting this authority alone. The handshake is done
    /// when this returns.
    ///
    /// # Errors
    /// If the server cannot be reached or trusted.
    pub fn connect(
        &self,
        url: &str,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> std::io::Result<TlsStream> {
        let other = std::io::Error::other::<rustls::Error>;
        let host = url.trim_start_matches("https://").split('/').next().unwrap_or("");
        let mut roots = RootCertStore::empty();
        let pem = CertificateDer::from_pem_slice(self.pem.as_bytes());
        roots.add(pem.map_err(std::io::Error::other)?).map_err(other)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .map_err(other)?;
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let name = ServerName::try_from("localhost").map_err(std::io::Error::other)?;
        let connection = ClientConnection::new(Arc::new(config), name).map_err(other)?;
        let tcp = TcpStream::connect(host)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        let mut stream = StreamOwned::new(connection, tcp);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(stream)
    }

    /// Answers every request on a free port with what `answer` says, for ever. Gives the URL.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn serve(&self, answer: impl Fn() -> String + Send + 'static) -> String {
        let (certificate, key) = self.server();
        let parsed = || -> Result<_, Box<dyn std::error::Error>> {
            let certificate = CertificateDer::from_pem_slice(certificate.as_bytes())?;
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes())?;
            let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()?
                .with_no_client_auth()
                .with_single_cert(vec![certificate], key)?;
            Ok((Arc::new(config), TcpListener::bind("127.0.0.1:0")?))
        };
        let (config, listener) = parsed().unwrap_or_else(|error| panic!("TLS server: {error}"));
        let port = listener.local_addr().map_or(0, |address| address.port());
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { return };
                // A client that disconnects, or does not trust the authority, is ignored.
                let _ = reply(StreamOwned::new(connection, tcp), &answer());
            }
        });
        format!("https://localhost:{port}")
    }
}

/// A connection of a client.
pub type TlsStream = StreamOwned<ClientConnection, TcpStream>;

fn reply(mut stream: StreamOwned<ServerConnection, TcpStream>, body: &str) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? == 1 {
        head.push(byte[0]);
    }
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    stream.conn.send_close_notify();
    stream.flush()
}
