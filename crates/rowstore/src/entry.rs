//! A document in memory: one allocation, with all that its check and response need.

use smallvec::SmallVec;
use triomphe::ThinArc;

/// A finished document.
#[derive(Clone, Copy, Debug)]
pub struct FinishedDocument<'b> {
    /// What belongs to it beside its text, in a form that its user chooses: its etag, its address.
    pub head: &'b [u8],
    /// Its text.
    pub body: &'b [u8],
}

#[derive(Clone, Copy, Debug)]
struct Header {
    /// The version of the key.
    version: u32,
    /// Milliseconds from the birth of the store to when its rows were read.
    made: u32,
}

/// A document in memory, or the knowledge that there is none; cheap to clone.
///
/// The bytes are the length of the key, that of the head and one more (0: there is no document), the key, the
/// head and the body. The lengths are LEB128 numbers, so they mostly take a byte each.
#[derive(Clone, Debug)]
pub struct Entry(ThinArc<Header, u8>);

/// Where the parts of an entry begin.
struct Parts<'e> {
    key: &'e [u8],
    /// `None`: there is no document.
    head: Option<&'e [u8]>,
    body: &'e [u8],
}

impl Entry {
    /// Bytes of the allocation beside its content, with what an allocator adds.
    const OVERHEAD: usize = size_of::<Header>() + 2 * size_of::<usize>() + 8;

    pub(crate) fn new(
        version: u32,
        made: u32,
        key: &[u8],
        finished: Option<FinishedDocument<'_>>,
    ) -> Self {
        let head = finished.map_or(0, |finished| finished.head.len() + 1);
        let FinishedDocument { head: first, body } =
            finished.unwrap_or(FinishedDocument { head: b"", body: b"" });
        let mut bytes = SmallVec::<[u8; 512]>::new();
        [key.len(), head].into_iter().for_each(|length| write_length(length, &mut bytes));
        [key, first, body].into_iter().for_each(|part| bytes.extend_from_slice(part));
        Self(ThinArc::from_header_and_slice(Header { version, made }, &bytes))
    }

    pub(crate) fn version(&self) -> u32 {
        self.0.header.header.version
    }

    pub(crate) fn made(&self) -> u32 {
        self.0.header.header.made
    }

    /// Whether it is that of this key.
    pub(crate) fn is_of(&self, key: &[u8]) -> bool {
        self.parts().key == key
    }

    /// What is stored; `None` where there is no document with this key.
    pub fn document(&self) -> Option<FinishedDocument<'_>> {
        let Parts { head, body, .. } = self.parts();
        head.map(|head| FinishedDocument { head, body })
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.slice.len() + Self::OVERHEAD
    }

    fn parts(&self) -> Parts<'_> {
        let (key, rest) = read_length(&self.0.slice);
        let (head, rest) = read_length(rest);
        let (key, rest) = rest.split_at(key);
        let (first, body) = rest.split_at(head.saturating_sub(1));
        Parts { key, head: (head > 0).then_some(first), body }
    }
}

/// Writes a length, seven bits a byte, the lowest first.
fn write_length(mut length: usize, out: &mut SmallVec<[u8; 512]>) {
    while length > 0x7f {
        out.push(length.to_le_bytes()[0] | 0x80);
        length >>= 7;
    }
    out.push(length.to_le_bytes()[0]);
}

/// Reads what [`write_length`] wrote, and gives what follows.
fn read_length(bytes: &[u8]) -> (usize, &[u8]) {
    if let [length @ ..0x80, rest @ ..] = bytes {
        return (usize::from(*length), rest);
    }
    let (mut length, mut at) = (0, 0);
    loop {
        length |= usize::from(bytes[at] & 0x7f) << (7 * at);
        at += 1;
        if bytes[at - 1] & 0x80 == 0 {
            return (length, &bytes[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_entry_are_those_that_it_was_made_of() {
        let long = vec![b'k'; 70_000];
        for key in [&b""[..], b"k", &long[..127], &long[..128], &long[..]] {
            for head in [&b""[..], b"h", &long[..126], &long[..127], &long[..]] {
                let entry = Entry::new(7, 8, key, Some(FinishedDocument { head, body: b"text" }));
                assert_eq!((entry.version(), entry.made()), (7, 8));
                let document = entry.document().unwrap();
                assert!(document.head == head && document.body == b"text" && entry.is_of(key));
            }
            let entry = Entry::new(7, 8, key, None);
            assert!(entry.is_of(key) && entry.document().is_none());
        }
    }
}
