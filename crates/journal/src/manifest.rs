//! The file `manifest`: which segments a journal has begun, so that missing ones are noticed and named.
//!
//! It is replaced as a whole: written beside, synced, and renamed. So it is also the one moment in which an
//! accepted loss takes effect, see [`crate::accept`].

use std::io;

use crate::disk::Disk;
use crate::format::Id;
use crate::segments::{ListedSegment, SegmentName};

/// Its name.
pub(crate) const MANIFEST: &str = "manifest";
/// What it is written to before it takes the place of the last one.
const NEXT: &str = "manifest.next";
/// The end of the name of a file with the readable rows of a damaged segment, until it takes its place.
pub(crate) const REPAIRED: &str = ".repaired";
/// Its first bytes.
const MAGIC: [u8; 8] = *b"DUETMANI";
/// The version of its format.
const VERSION: u32 = 1;
/// More bytes than this are no manifest.
const MOST: u64 = 16 << 20;

/// Rows whose loss the operator has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedLoss {
    /// The first sequence id of them.
    pub from: u64,
    /// The last sequence id that they may have had.
    pub to: u64,
    /// When it was accepted, in milliseconds since 1970.
    pub at: u64,
    /// What was missing or damaged.
    pub what: String,
}

/// What is known of a journal beside its segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) id: Id,
    /// Rows up to this sequence id that are in no segment are not missed: they are applied, or their
    /// loss was accepted. New sequence ids are greater.
    pub(crate) settled: u64,
    pub(crate) segments: Vec<ListedSegment>,
    /// Files to be renamed before anything else is done: the rest of an accepted loss.
    pub(crate) renames: Vec<(String, String)>,
    /// Accepted losses that the database does not know yet.
    pub(crate) losses: Vec<AcceptedLoss>,
}

/// What there is of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ManifestState {
    /// None: the journal is new, or of an earlier version.
    Absent,
    /// One that cannot be read.
    Damaged,
    Sound(Manifest),
}

impl Manifest {
    pub(crate) fn new(id: Id) -> Self {
        Self { id, settled: 0, segments: Vec::new(), renames: Vec::new(), losses: Vec::new() }
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// Of the disk.
    pub(crate) fn of(disk: &dyn Disk) -> io::Result<ManifestState> {
        let length = match disk.length(MANIFEST) {
            Ok(length) if length > MOST => return Ok(ManifestState::Damaged),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ManifestState::Absent);
            }
            Err(error) => return Err(error),
        };
        let bytes = disk.read(MANIFEST, 0, usize::try_from(length).map_err(io::Error::other)?)?;
        Ok(Self::decode(&bytes).map_or(ManifestState::Damaged, ManifestState::Sound))
    }

    /// Puts it in the place of the last one.
    ///
    /// # Errors
    /// Of the disk; then the last one stays.
    pub(crate) fn store(&self, disk: &dyn Disk) -> io::Result<()> {
        remove_if_there(disk, NEXT)?;
        let stored = (|| {
            disk.create(NEXT)?;
            disk.write(NEXT, 0, &self.encode())?;
            disk.sync(NEXT)?;
            disk.rename(NEXT, MANIFEST)
        })();
        if let Err(error) = stored {
            // It would take the room of rows.
            drop(disk.remove(NEXT));
            return Err(error);
        }
        disk.sync_names()
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.id.0);
        long(&mut out, self.settled);
        long(&mut out, self.segments.len() as u64);
        for segment in &self.segments {
            let ListedSegment { name, last, rows } = segment;
            // No segment ends with the sequence id 0 and is done with.
            [name.first, name.generation, last.map_or(u64::MAX, |last| last), *rows]
                .into_iter()
                .for_each(|number| long(&mut out, number));
        }
        long(&mut out, self.renames.len() as u64);
        for (from, to) in &self.renames {
            text(&mut out, from);
            text(&mut out, to);
        }
        long(&mut out, self.losses.len() as u64);
        for loss in &self.losses {
            [loss.from, loss.to, loss.at].into_iter().for_each(|number| long(&mut out, number));
            text(&mut out, &loss.what);
        }
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<4>()?;
        if u32::from_le_bytes(*sum) != crc32fast::hash(content) {
            return None;
        }
        let rest = content.strip_prefix(&MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
        let (id, rest) = rest.split_first_chunk::<16>()?;
        let mut reader = Reader(rest);
        let mut manifest = Self::new(Id(*id));
        manifest.settled = reader.long()?;
        for _ in 0..reader.long()? {
            let name = SegmentName { first: reader.long()?, generation: reader.long()? };
            let last = Some(reader.long()?).filter(|last| *last < u64::MAX);
            manifest.segments.push(ListedSegment { name, last, rows: reader.long()? });
        }
        for _ in 0..reader.long()? {
            manifest.renames.push((reader.text()?, reader.text()?));
        }
        for _ in 0..reader.long()? {
            let (from, to, at) = (reader.long()?, reader.long()?, reader.long()?);
            manifest.losses.push(AcceptedLoss { from, to, at, what: reader.text()? });
        }
        reader.0.is_empty().then_some(manifest)
    }

    /// Does what is left of an accepted loss. Safe to repeat, wherever it was broken off.
    ///
    /// # Errors
    /// Of the disk.
    pub(crate) fn finish(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if self.renames.is_empty() {
            return Ok(());
        }
        for (from, to) in &self.renames {
            match disk.rename(from, to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        disk.sync_names()?;
        self.renames.clear();
        self.store(disk)
    }
}

/// Removes a file that need not be there.
pub(crate) fn remove_if_there(disk: &dyn Disk, name: &str) -> io::Result<()> {
    match disk.remove(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn long(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    long(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn long(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.long()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_written_and_one_wrong_bit_is_noticed() {
        let name = |first| SegmentName { first, generation: 2 };
        let manifest = Manifest {
            id: Id([9; 16]),
            settled: 7,
            segments: vec![
                ListedSegment { name: name(8), last: Some(11), rows: 3 },
                ListedSegment { name: name(12), last: None, rows: 0 },
            ],
            renames: vec![("a".to_owned(), "b".to_owned())],
            losses: vec![AcceptedLoss { from: 1, to: 7, at: 5, what: "é".to_owned() }],
        };
        let bytes = manifest.encode();
        assert_eq!(Manifest::decode(&bytes).as_ref(), Some(&manifest));
        for bit in 0..bytes.len() * 8 {
            let mut wrong = bytes.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Manifest::decode(&wrong), None, "{bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(Manifest::decode(&bytes[..length]), None, "{length}");
        }
        let empty = Manifest::new(Id([0; 16]));
        assert_eq!(Manifest::decode(&empty.encode()), Some(empty));
    }
}
