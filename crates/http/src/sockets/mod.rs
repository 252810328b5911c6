//! What a server listens on, and how connections are taken from it.

pub(crate) mod any_socket;
pub(crate) mod handshakes;
pub(crate) mod instances;
pub(crate) mod jwks;
pub(crate) mod listen;
pub(crate) mod outbound;
pub(crate) mod shared_accept;
pub(crate) mod tls;
