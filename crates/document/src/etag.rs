//! The etag: 128 bits over the canonical bytes of a document.
//!
//! The canonical bytes are the JSON text that the writer makes, without `_metadata`, `links` and
//! the members that are not checked. Two stores that write the same document therefore give it
//! the same etag. The hash is BLAKE3, cut to 128 bits, keyed by the resource's name so that no
//! two resources share a tag.

use std::fmt;

/// A 128-bit etag; printed as 32 upper-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Etag([u8; 16]);

impl Etag {
    /// The etag of the bytes in these pieces, for a resource or representation of this name.
    pub fn of<'a>(name: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        for piece in pieces {
            hasher.update(piece);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(bytes)
    }

    /// The 32 digits.
    pub fn digits(&self) -> [u8; 32] {
        const HEX: &[u8; 16] = b"0123456789ABCDEF";
        let mut out = [0; 32];
        for (pair, byte) in out.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        out
    }

    /// The first eight digits, in lower case: the mark of bytes that a document's etag leaves
    /// out.
    pub fn short(&self) -> [u8; 8] {
        let mut short = [0; 8];
        short.copy_from_slice(&self.digits()[..8]);
        short.make_ascii_lowercase();
        short
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl fmt::Debug for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
