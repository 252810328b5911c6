//! TLS: what every connection of it has in common.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};

/// The one implementation of the cryptography.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
