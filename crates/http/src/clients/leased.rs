//! Bytes that are leased from the memory of requests and responses while they are held.

use bytes::Bytes;
use duet_model::Result;
use duet_model::memory::Lease;

/// Requests and responses up to this size are counted and never refused: however many large
/// ones there are, a health check and a request for a token are answered. How many of them there can
/// be is bounded by the number of connections: of several requests of one, none has this right.
pub(crate) const SMALL: usize = 16 << 10;

/// Grows a lease to at least this many bytes.
///
/// # Errors
/// `MemoryLimit` where they are more than those granted, and not free.
pub(crate) fn hold(lease: &mut Lease, bytes: usize, granted: usize) -> Result<()> {
    if bytes > granted {
        return lease.grow_to(bytes);
    }
    lease.claim_to(bytes);
    Ok(())
}

/// Bytes and the lease on their memory, which ends when the last of them has been written to the
/// client's socket.
pub(crate) struct LeasedBytes<B> {
    bytes: B,
    _lease: Lease,
}

impl<B: AsRef<[u8]> + Send + 'static> LeasedBytes<B> {
    pub(crate) fn bytes(bytes: B, lease: Lease) -> Bytes {
        Bytes::from_owner(Self { bytes, _lease: lease })
    }
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for LeasedBytes<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}
