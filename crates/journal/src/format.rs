//! The bytes of segments: headers, records and seals. All numbers are little-endian.

use std::fmt;
use std::str::FromStr;

/// The version of the format.
pub const VERSION: u32 = 1;
/// The first bytes of a segment.
const SEGMENT_MAGIC: [u8; 8] = *b"DUETJRNL";
/// The first bytes of a record.
const RECORD_MAGIC: [u8; 4] = *b"DREC";
/// Bytes of a segment's header.
pub(crate) const HEADER: usize = 64;
/// Bytes of a record in front of its payload.
pub(crate) const RECORD: usize = 32;
/// Bytes of the payload of a seal.
const SEAL: usize = 12;
/// Bytes that a payload may have.
pub(crate) const MOST: usize = 64 << 20;
/// Where the checksum of a segment's header is.
const HEADER_SUM: usize = HEADER - 4;

/// The random name of a journal, by which sequence ids of different journals are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub [u8; 16]);

impl Id {
    /// A new one.
    ///
    /// # Errors
    /// Where the system has no random numbers.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(());
        }
        let mut bytes = [0; 16];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let pair = text.get(at * 2..at * 2 + 2).ok_or(())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| ())?;
        }
        Ok(Self(bytes))
    }
}

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: Id,
    /// No record of the segment has a smaller sequence id.
    pub(crate) first: u64,
    /// The owner that made the segment: each start of an owner has a greater number.
    pub(crate) generation: u64,
    /// The last sequence id of the records in front of the segment.
    pub(crate) previous: u64,
}

impl Header {
    pub(crate) fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&SEGMENT_MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.id.0);
        bytes[28..36].copy_from_slice(&self.first.to_le_bytes());
        bytes[36..44].copy_from_slice(&self.generation.to_le_bytes());
        bytes[44..52].copy_from_slice(&self.previous.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..HEADER_SUM]);
        bytes[HEADER_SUM..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header of a segment.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let Some(header) = bytes.get(..HEADER) else {
            return Err("the file is shorter than the header of a segment".to_owned());
        };
        if header[..8] != SEGMENT_MAGIC {
            return Err("this is no segment of a journal".to_owned());
        }
        if number(header, HEADER_SUM) != crc32fast::hash(&header[..HEADER_SUM]) {
            return Err("the checksum of the segment's header is wrong".to_owned());
        }
        let version = number(header, 8);
        if version != VERSION {
            return Err(format!(
                "the segment has version {version} of the format, and this program reads {VERSION}"
            ));
        }
        let mut id = [0; 16];
        id.copy_from_slice(&header[12..28]);
        Ok(Self {
            id: Id(id),
            first: long(header, 28),
            generation: long(header, 36),
            previous: long(header, 44),
        })
    }
}

/// The part of a record in front of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) sum: u32,
    pub(crate) length: usize,
    /// How many rows the record has, each with a sequence id of its own; none: a seal.
    pub(crate) rows: u32,
    pub(crate) first: u64,
    /// All records up to this sequence id were synced before this one was written.
    pub(crate) synced: u64,
}

impl Head {
    /// The head and the payload of the record at the beginning of `bytes`, if there is a whole and sound one.
    pub(crate) fn read(bytes: &[u8], id: Id) -> Option<(Self, &[u8])> {
        let head = bytes.get(..RECORD)?;
        if head[..4] != RECORD_MAGIC {
            return None;
        }
        let found = Self {
            sum: number(head, 4),
            length: usize::try_from(number(head, 8)).ok()?,
            rows: number(head, 12),
            first: long(head, 16),
            synced: long(head, 24),
        };
        if found.length > MOST {
            return None;
        }
        let payload = bytes.get(RECORD..RECORD.checked_add(found.length)?)?;
        (sum(id, &head[8..], payload) == found.sum).then_some((found, payload))
    }

    /// Bytes of the payload of the record at the beginning of `bytes`, as it says itself.
    pub(crate) fn size(bytes: &[u8]) -> Option<usize> {
        let head = bytes.get(..RECORD).filter(|head| head[..4] == RECORD_MAGIC)?;
        usize::try_from(number(head, 8)).ok().filter(|length| *length <= MOST)
    }

    /// The last sequence id of the record.
    pub(crate) fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.rows)).saturating_sub(1)
    }
}

/// The rows of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordRows {
    /// The sequence id of the first one.
    pub(crate) first: u64,
    pub(crate) count: u32,
    /// All records up to this sequence id are synced.
    pub(crate) synced: u64,
}

/// Appends a record to `out`, and gives its checksum.
pub(crate) fn write_record(out: &mut Vec<u8>, id: Id, rows: RecordRows, payload: &[u8]) -> u32 {
    let RecordRows { first, count, synced } = rows;
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut head = [0; RECORD];
    head[..4].copy_from_slice(&RECORD_MAGIC);
    head[8..12].copy_from_slice(&length.to_le_bytes());
    head[12..16].copy_from_slice(&count.to_le_bytes());
    head[16..24].copy_from_slice(&first.to_le_bytes());
    head[24..32].copy_from_slice(&synced.to_le_bytes());
    let sum = sum(id, &head[8..], payload);
    head[4..8].copy_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
    sum
}

/// The checksum of a record. It covers the journal's id, so that a record of another journal is none here.
fn sum(id: Id, head: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&id.0);
    hasher.update(head);
    hasher.update(payload);
    hasher.finalize()
}

/// What the seal at the end of a segment says: how many records it has, and the checksum of their checksums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seal {
    records: u64,
    sums: crc32fast::Hasher,
}

impl Seal {
    /// Takes one more record.
    pub(crate) fn add(&mut self, sum: u32) {
        self.records += 1;
        self.sums.update(&sum.to_le_bytes());
    }

    fn payload(&self) -> [u8; SEAL] {
        let mut payload = [0; SEAL];
        payload[..8].copy_from_slice(&self.records.to_le_bytes());
        payload[8..].copy_from_slice(&self.sums.clone().finalize().to_le_bytes());
        payload
    }

    /// Appends the seal of a segment whose records, all synced, end with `last`.
    pub(crate) fn write(&self, out: &mut Vec<u8>, id: Id, last: u64) {
        let none = RecordRows { first: last, count: 0, synced: last };
        write_record(out, id, none, &self.payload());
    }

    /// Whether this is the payload of the segment's seal.
    pub(crate) fn is(&self, payload: &[u8]) -> bool {
        payload == self.payload()
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_ids_are_read_as_written() {
        let header = Header { id: Id([7; 16]), first: 12, generation: 3, previous: 11 };
        assert_eq!(Header::read(&header.bytes()), Ok(header));
        assert_eq!(header.id.to_string().parse(), Ok(header.id));
        assert!("7".repeat(31).parse::<Id>().is_err());
        assert!("é".repeat(16).parse::<Id>().is_err());
    }

    #[test]
    fn one_wrong_bit_is_noticed() {
        let header = Header { id: Id([7; 16]), first: 12, generation: 3, previous: 11 }.bytes();
        let mut record = Vec::new();
        write_record(
            &mut record,
            Id([7; 16]),
            RecordRows { first: 4, count: 2, synced: 3 },
            b"payload",
        );
        assert!(Head::read(&record, Id([7; 16])).is_some());
        assert!(Head::read(&record, Id([8; 16])).is_none(), "of another journal");
        for bit in 0..HEADER * 8 {
            let mut wrong = header;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::read(&wrong).is_err(), "{bit}");
        }
        for bit in 0..record.len() * 8 {
            let mut wrong = record.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(Head::read(&wrong, Id([7; 16])).is_none(), "{bit}");
        }
    }
}
