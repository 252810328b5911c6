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
        Etag::of_hash(blake3::keyed_hash(&self.0, bytes))
    }
}

/// Makes an etag of bytes that come in pieces. Small pieces are gathered, which is cheaper than to
/// hash each of them; large ones are not copied.
pub(crate) struct EtagHasher {
    key: EtagKey,
    gathered: Vec<u8>,
    hasher: Option<Box<blake3::Hasher>>,
}

/// So many bytes are gathered.
const GATHERED: usize = 64 << 10;

impl EtagHasher {
    /// With capacity for this many bytes.
    pub(crate) fn with_capacity(key: &EtagKey, bytes: usize) -> Self {
        Self { key: key.clone(), gathered: Vec::with_capacity(bytes.min(GATHERED)), hasher: None }
    }

    pub(crate) fn update(&mut self, piece: &[u8]) {
        if self.gathered.len() + piece.len() <= GATHERED {
            self.gathered.extend_from_slice(piece);
            return;
        }
        let hasher =
            self.hasher.get_or_insert_with(|| Box::new(blake3::Hasher::new_keyed(&self.key.0)));
        hasher.update(&self.gathered).update(piece);
        self.gathered.clear();
    }

    pub(crate) fn etag(self) -> Etag {
        match self.hasher {
            None => self.key.etag(&self.gathered),
            Some(mut hasher) => Etag::of_hash(hasher.update(&self.gathered).finalize()),
        }
    }
}

impl Etag {
    fn of_hash(hash: blake3::Hash) -> Self {
        let mut etag = [0; 16];
        etag.copy_from_slice(&hash.as_bytes()[..16]);
        Self(etag)
    }

    /// The etag of these bytes, for a resource or representation of this name.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        EtagKey::new(name).etag(bytes)
    }

    /// The 16 bytes.
    pub fn bytes(&self) -> [u8; 16] {
        self.0
    }

    /// The etag of these bytes, as [`Etag::bytes`] gave them.
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 32 digits.
    pub fn digits(&self) -> [u8; 32] {
        let mut out = [0; 32];
        for (half, bytes) in out.as_chunks_mut().0.iter_mut().zip(self.0.as_chunks().0) {
            *half = hex(u64::from_be_bytes(*bytes));
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

/// The sixteen digits of a number, in capitals: all at once, since each document of a page has such an etag.
fn hex(number: u64) -> [u8; 16] {
    const ONES: u128 = u128::from_ne_bytes([1; 16]);
    // Each half of what is left moves to a place of its own, until each byte holds four bits.
    let mut spread = u128::from(number);
    spread = (spread | spread << 32) & 0x0000_0000_FFFF_FFFF_0000_0000_FFFF_FFFF;
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF_0000_FFFF_0000_FFFF;
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF_00FF_00FF_00FF_00FF;
    spread = (spread | spread << 4) & (ONES * 0x0F);
    // A digit above nine has its fifth bit set when six is added.
    let letters = ((spread + ONES * 6) >> 4) & ONES;
    (spread + ONES * u128::from(b'0') + letters * u128::from(b'A' - b'9' - 1)).to_be_bytes()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_give_the_same_etag() {
        let (key, bytes) = (EtagKey::new("t"), vec![b'x'; 3 * GATHERED]);
        for sizes in [&[10, 20][..], &[GATHERED, 1, 5], &[100, 2 * GATHERED, 7], &[0]] {
            let mut hasher = EtagHasher::with_capacity(&key, 64);
            sizes.iter().for_each(|&size| hasher.update(&bytes[..size]));
            assert!(hasher.gathered.capacity() <= 2 * GATHERED);
            assert_eq!(hasher.etag(), key.etag(&bytes[..sizes.iter().sum()]), "{sizes:?}");
        }
    }
}
