//! Reads segments without changing anything: for recovery, and for people who look into a journal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::{HEADER, Head, Header, Id, RECORD, Seal};
use crate::segments::SegmentName;

/// Bytes of candidates for records that are looked at behind a damaged one.
const SEARCHED: usize = 256 << 20;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'b> {
    /// The sequence id of its first row.
    pub first: u64,
    /// How many rows it has; their sequence ids follow each other.
    pub rows: u32,
    /// What was appended.
    pub payload: &'b [u8],
    /// Where it begins in its file.
    pub at: u64,
}

impl Record<'_> {
    /// The sequence id of its last row.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.rows)).saturating_sub(1)
    }
}

/// How a segment ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With a seal over all of its records.
    Sealed,
    /// Behind a whole record: its owner may still write to it, or was killed.
    Open,
    /// With bytes that are no whole record, and were never acknowledged: a power cut or a killed process.
    Torn {
        /// Where they begin.
        at: u64,
    },
    /// With bytes that cannot be read although they were synced: records are lost.
    Damaged {
        /// Where they begin.
        at: u64,
        /// What is wrong.
        why: String,
    },
}

/// What a segment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentScan<'b> {
    /// The journal that it belongs to; `None` without a sound header.
    pub id: Option<Id>,
    /// The number of the owner that made it.
    pub generation: u64,
    /// The last sequence id in front of it.
    pub previous: u64,
    /// Its records up to its end, or to the first that cannot be read.
    pub records: Vec<Record<'b>>,
    /// How it ends.
    pub end: End,
    /// Where the last record ends.
    pub length: u64,
    pub(crate) seal: Seal,
}

impl PartialEq for Seal {
    fn eq(&self, other: &Self) -> bool {
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        self.write(&mut own, Id([0; 16]), 0);
        other.write(&mut theirs, Id([0; 16]), 0);
        own == theirs
    }
}

impl Eq for Seal {}

impl SegmentScan<'_> {
    /// The last sequence id of its records; that in front of it where it has none.
    pub fn last(&self) -> u64 {
        self.records.last().map_or(self.previous, Record::last)
    }
}

/// Reads the bytes of a segment.
pub fn scan(bytes: &[u8]) -> SegmentScan<'_> {
    let header = match Header::read(bytes) {
        Ok(header) => header,
        Err(why) => return without_header(bytes, why),
    };
    let mut found = SegmentScan {
        id: Some(header.id),
        generation: header.generation,
        previous: header.previous,
        records: Vec::new(),
        end: End::Open,
        length: HEADER as u64,
        seal: Seal::default(),
    };
    let mut at = HEADER;
    while at < bytes.len() {
        let Some((head, payload)) = Head::read(&bytes[at..], header.id) else {
            found.end = behind(bytes, at, header.id, found.last());
            return found;
        };
        let next = at + RECORD + payload.len();
        if head.rows == 0 {
            found.end = sealed(&found, head, payload, at, next == bytes.len());
            return found;
        }
        if head.first <= found.last() || head.first < header.first {
            let why = "sequence ids do not ascend".to_owned();
            found.end = End::Damaged { at: at as u64, why };
            return found;
        }
        found.seal.add(head.sum);
        found.records.push(Record { first: head.first, rows: head.rows, payload, at: at as u64 });
        (at, found.length) = (next, next as u64);
    }
    found
}

/// Nothing is written to a segment before its header is synced.
fn without_header(bytes: &[u8], why: String) -> SegmentScan<'_> {
    let end = match bytes.len() <= HEADER {
        true => End::Torn { at: 0 },
        false => End::Damaged { at: 0, why },
    };
    let seal = Seal::default();
    SegmentScan { id: None, generation: 0, previous: 0, records: Vec::new(), end, length: 0, seal }
}

fn sealed(found: &SegmentScan<'_>, head: Head, payload: &[u8], at: usize, is_end: bool) -> End {
    let damaged = |why: &str| End::Damaged { at: at as u64, why: why.to_owned() };
    match (found.seal.is(payload) && head.first == found.last(), is_end) {
        (false, _) => damaged("the seal is not that of the records in front of it"),
        (true, false) => damaged("something follows the seal"),
        (true, true) => End::Sealed,
    }
}

/// How a segment ends whose records cannot be read from `at` on. If a record behind was written after one
/// that cannot be read had been synced, that one is lost; else nothing of it was acknowledged.
fn behind(bytes: &[u8], at: usize, id: Id, last: u64) -> End {
    let mut budget = SEARCHED;
    for next in at + 1..bytes.len().saturating_sub(RECORD - 1) {
        if bytes[next] != b'D' {
            continue;
        }
        let Some((head, payload)) = Head::read(&bytes[next..], id) else {
            let looks = bytes[next..].starts_with(b"DREC");
            budget = budget.saturating_sub(if looks { bytes.len() - next } else { 0 });
            if budget == 0 {
                let why = "too much behind this place looks like records".to_owned();
                return End::Damaged { at: at as u64, why };
            }
            continue;
        };
        let is_seal = head.rows == 0 && payload.len() < RECORD;
        if head.synced > last && (is_seal || head.first > last) {
            let why = format!("a later record says that those up to {} were synced", head.synced);
            return End::Damaged { at: at as u64, why };
        }
    }
    End::Torn { at: at as u64 }
}

impl SegmentScan<'_> {
    /// Checks that the segment continues a journal: `before` is the journal's id and the last sequence id in
    /// front, where there is one; `is_last`: no segment follows.
    ///
    /// # Errors
    /// The place in the file that cannot be read, and what is wrong there.
    pub fn continues(&self, before: Option<(Id, u64)>, is_last: bool) -> Result<(), (u64, String)> {
        match (&self.end, before) {
            (End::Damaged { at, why }, _) => Err((*at, why.clone())),
            (End::Torn { at }, _) if !is_last && *at > 0 => {
                Err((*at, "a record is not whole, and other segments follow".to_owned()))
            }
            (End::Torn { at: 0 }, _) => Ok(()),
            (_, Some((id, _))) if self.id != Some(id) => {
                Err((0, "the segment belongs to another journal".to_owned()))
            }
            (_, Some((_, last))) if self.previous != last => {
                let previous = self.previous;
                Err((
                    0,
                    format!("the segment follows record {previous}, and the last one is {last}"),
                ))
            }
            _ => Ok(()),
        }
    }
}

/// The segments in a folder that its owner may be writing to, in the order of their records; a single file
/// is taken as one. A segment with a complete copy is left out.
///
/// # Errors
/// Of the disk.
pub fn scan_folder(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        fs::metadata(path)?;
        return Ok(vec![path.to_owned()]);
    }
    Ok(segment_names(path)?.iter().map(|name| path.join(name.to_string())).collect())
}

/// The names of the segments in a folder, in the order of their records, without those that have a complete
/// copy.
pub(crate) fn segment_names(path: &Path) -> io::Result<Vec<SegmentName>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name().into_string().ok();
        names.extend(name.as_deref().and_then(SegmentName::read));
    }
    names.sort_unstable();
    let mut kept: Vec<SegmentName> = Vec::new();
    for name in names {
        match kept.last_mut().filter(|kept| kept.first == name.first) {
            None => kept.push(name),
            Some(original) => {
                if scan(&fs::read(path.join(name.to_string()))?).end == End::Sealed {
                    *original = name;
                }
            }
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{RecordRows, write_record};

    const ID: Id = Id([3; 16]);

    /// A segment with three records, each in a group of its own.
    fn segment() -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Header { id: ID, first: 1, generation: 1, previous: 0 }.bytes().to_vec();
        let mut starts = Vec::new();
        for (first, payload) in [(1, "one"), (3, "two"), (5, "three")] {
            starts.push(bytes.len());
            write_record(
                &mut bytes,
                ID,
                RecordRows { first, count: 2, synced: first - 1 },
                payload.as_bytes(),
            );
        }
        (bytes, starts)
    }

    #[test]
    fn a_cut_anywhere_is_a_torn_tail() {
        let (bytes, starts) = segment();
        for length in 0..bytes.len() {
            let found = scan(&bytes[..length]);
            let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
            let whole = ends.filter(|end| *end <= length).count();
            assert_eq!(found.records.len(), whole, "{length}");
            assert!(!matches!(found.end, End::Damaged { .. }), "{length}");
        }
        assert_eq!(scan(&bytes).end, End::Open);
        assert_eq!(scan(&bytes).last(), 6);
    }

    #[test]
    fn a_damaged_record_in_front_of_a_later_group_is_no_torn_tail() {
        let (bytes, starts) = segment();
        for (index, start) in starts.iter().enumerate() {
            let mut wrong = bytes.clone();
            wrong[start + RECORD] ^= 1;
            let end = scan(&wrong).end;
            match index {
                2 => assert_eq!(end, End::Torn { at: *start as u64 }),
                _ => assert!(matches!(end, End::Damaged { at, .. } if at == *start as u64)),
            }
        }
    }

    #[test]
    fn a_seal_counts_the_records() {
        let (mut bytes, starts) = segment();
        let found = scan(&bytes);
        let mut seal = Vec::new();
        found.seal.write(&mut seal, ID, 6);
        let mut shorter = bytes[..starts[2]].to_vec();
        bytes.extend_from_slice(&seal);
        assert_eq!(scan(&bytes).end, End::Sealed);
        shorter.extend_from_slice(&seal);
        assert!(matches!(scan(&shorter).end, End::Damaged { .. }));
        bytes.push(0);
        assert!(matches!(scan(&bytes).end, End::Damaged { .. }));
    }
}
