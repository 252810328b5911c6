//! Bytes that are counted in the memory of requests and responses for as long as they are held.

use bytes::Bytes;
use duet_model::memory::Lease;

/// Bytes and the lease on their memory, which ends when the last of them has been written to the
/// client's socket.
pub(crate) struct Held<B> {
    bytes: B,
    _lease: Lease,
}

impl<B: AsRef<[u8]> + Send + 'static> Held<B> {
    pub(crate) fn bytes(bytes: B, lease: Lease) -> Bytes {
        Bytes::from_owner(Self { bytes, _lease: lease })
    }
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for Held<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}
