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

/// The key of a resource's or representation's etags, made once of its name.
#[derive(Clone, Debug)]
pub struct EtagKey([u8; 32]);

impl EtagKey {
    /// The key of this name.
    pub fn new(name: &str) -> Self {
        Self(*blake3::hash(name.as_bytes()).as_bytes())
    }

    /// The etag of these bytes.
    pub fn etag(&self, bytes: &[u8]) -> Etag {
        let mut etag = [0; 16];
        etag.copy_from_slice(&blake3::keyed_hash(&self.0, bytes).as_bytes()[..16]);
        Etag(etag)
    }
}

impl Etag {
    /// The etag of these bytes, for a resource or representation of this name.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        EtagKey::new(name).etag(bytes)
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
