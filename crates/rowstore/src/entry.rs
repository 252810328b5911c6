//! A document in memory: one allocation, of what is needed to check it and to send it.

use triomphe::ThinArc;

/// A finished document, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'b> {
    /// What belongs to it beside its text, in a form that its user chooses: its etag, its address.
    pub head: &'b [u8],
    /// Its text.
    pub body: &'b [u8],
}

/// When an entry is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// How often all documents of the resource had been dropped.
    pub(crate) epoch: u32,
    /// The version of the key.
    pub(crate) version: u32,
}

#[derive(Debug)]
struct Header {
    stamp: Stamp,
    /// Milliseconds from the birth of the store to when its rows were read.
    made: u32,
    key: u16,
    /// Bytes of the head; [`ABSENT`] where there is no document.
    head: u16,
}

/// Instead of the length of a head: there is no document with this key.
const ABSENT: u16 = u16::MAX;

/// A document in memory, or the knowledge that there is none; cheap to clone.
#[derive(Clone, Debug)]
pub struct Entry(ThinArc<Header, u8>);

impl Entry {
    /// Bytes of the allocation beside key, head and body, with what an allocator adds.
    const OVERHEAD: usize = size_of::<Header>() + 2 * size_of::<usize>() + 8;

    /// `None` where the key or the head is too long.
    pub(crate) fn new(
        stamp: Stamp,
        made: u32,
        key: &[u8],
        finished: Option<Finished<'_>>,
    ) -> Option<Self> {
        let head = match finished {
            None => ABSENT,
            Some(finished) => {
                u16::try_from(finished.head.len()).ok().filter(|length| *length != ABSENT)?
            }
        };
        let header = Header { stamp, made, key: u16::try_from(key.len()).ok()?, head };
        let Finished { head, body } = finished.unwrap_or(Finished { head: b"", body: b"" });
        let mut bytes = Vec::with_capacity(key.len() + head.len() + body.len());
        [key, head, body].iter().for_each(|part| bytes.extend_from_slice(part));
        Some(Self(ThinArc::from_header_and_slice(header, &bytes)))
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.0.header.header.stamp
    }

    pub(crate) fn made(&self) -> u32 {
        self.0.header.header.made
    }

    pub(crate) fn key(&self) -> &[u8] {
        &self.0.slice[..self.key_end()]
    }

    /// Whether there is a document with this key.
    pub fn exists(&self) -> bool {
        self.0.header.header.head != ABSENT
    }

    /// What was stored beside the text.
    pub fn head(&self) -> &[u8] {
        &self.0.slice[self.key_end()..self.head_end()]
    }

    /// The text.
    pub fn body(&self) -> &[u8] {
        &self.0.slice[self.head_end()..]
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.slice.len() + Self::OVERHEAD
    }

    fn key_end(&self) -> usize {
        usize::from(self.0.header.header.key)
    }

    fn head_end(&self) -> usize {
        let head = self.0.header.header.head;
        self.key_end() + if head == ABSENT { 0 } else { usize::from(head) }
    }
}
