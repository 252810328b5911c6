//! How a server is talked to: in plain text or by TLS.

/// The protocol to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Plain,
    /// With TLS if the server offers it.
    TlsIfOffered,
    Tls,
}
