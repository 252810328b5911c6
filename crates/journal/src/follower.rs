//! Reads a journal that this or another process owns, from its files, and changes nothing.
//!
//! How far it may read is what the owner has published: records behind that may still be undone.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::LOCK;
use crate::error::Failure;
use crate::format::{HEADER, Head, Id, RECORD};
use crate::published::{BYTES, DurableMark};
use crate::scan::segment_names;
use crate::segments::SegmentName;

/// How often files are looked for again that the owner has removed or replaced meanwhile.
const TRIES: usize = 5;

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    segment: Arc<str>,
    at: u64,
}

/// A record, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedRecord {
    /// The sequence id of its first row.
    pub first: u64,
    /// How many rows it has.
    pub rows: u32,
    /// What was appended.
    pub payload: Vec<u8>,
    /// Where it is.
    pub place: RecordPlace,
}

impl PlacedRecord {
    /// The sequence id of its last row.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.rows)).saturating_sub(1)
    }
}

/// A reader of a journal, which keeps its place.
#[derive(Clone, Debug)]
pub struct Follower {
    folder: PathBuf,
    after: u64,
    next: Option<RecordPlace>,
}

impl Follower {
    /// A reader of the journal in a folder, of the records behind a sequence id.
    pub fn new(folder: &Path, after: u64) -> Self {
        Self { folder: folder.to_owned(), after, next: None }
    }

    /// The sequence id up to which it has read.
    pub fn after(&self) -> u64 {
        self.after
    }

    /// What the owner says is durable; `None` where nothing is known of that now: an owner has not opened
    /// the journal yet.
    ///
    /// # Errors
    /// Of the disk; [`io::ErrorKind::NotFound`] where the folder has no journal.
    pub fn published(folder: &Path) -> io::Result<Option<DurableMark>> {
        // Of two looks while the owner writes, one sees it whole.
        for _ in 0..TRIES {
            let mut bytes = Vec::with_capacity(BYTES);
            File::open(folder.join(LOCK))?.take(BYTES as u64).read_to_end(&mut bytes)?;
            if let Some(published) = DurableMark::read(&bytes) {
                return Ok(Some(published));
            }
            if bytes.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The next records up to a durable sequence id: about `bytes` of them, at least one where there is one.
    ///
    /// # Errors
    /// [`Failure::Damaged`] where records that are durable cannot be read; others of the disk.
    pub fn read(
        &mut self,
        id: Id,
        durable: u64,
        bytes: usize,
    ) -> Result<Vec<PlacedRecord>, Failure> {
        let mut tries = 0;
        while self.after < durable {
            match self.read_on(id, durable, bytes) {
                // The owner has removed the segment, or a new owner has copied it.
                Err(failure) if is_gone(&failure) && tries < TRIES => {
                    tries += 1;
                    self.next = None;
                }
                Err(failure) => return Err(failure),
                Ok(Some(records)) if !records.is_empty() => return Ok(records),
                Ok(Some(_)) => {}
                Ok(None) => break,
            }
        }
        Ok(Vec::new())
    }

    /// Reads on in a segment, or goes to the next one; `None` where there is no more.
    fn read_on(
        &mut self,
        id: Id,
        durable: u64,
        most: usize,
    ) -> Result<Option<Vec<PlacedRecord>>, Failure> {
        // Listed before the file is read: what another one follows by then is whole.
        let names = segment_names(&self.folder)?;
        let place = match self.next.clone() {
            Some(place) => place,
            None => match self.first_segment(&names) {
                Some(segment) => RecordPlace { segment, at: HEADER as u64 },
                None => return Ok(None),
            },
        };
        let number = names.iter().position(|name| name.to_string() == *place.segment);
        let number = number.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let file = File::open(self.folder.join(&*place.segment))?;
        let found = read_chunk(&file, id, place.at, most)?;
        let mut records = Vec::new();
        let mut at = place.at;
        for (head, payload) in found {
            if head.rows > 0 && head.last() > durable {
                break;
            }
            let own = RecordPlace { segment: Arc::clone(&place.segment), at };
            at += (RECORD + payload.len()) as u64;
            if head.rows > 0 && head.last() > self.after {
                self.after = head.last();
                let (first, rows) = (head.first, head.rows);
                records.push(PlacedRecord { first, rows, payload, place: own });
            }
        }
        if at > place.at {
            self.next = Some(RecordPlace { segment: place.segment, at });
            return Ok(Some(records));
        }
        let Some(next) = names.get(number + 1) else { return Ok(None) };
        if at < file.metadata()?.len() {
            let why = "a record cannot be read, and other segments follow".to_owned();
            return Err(Failure::Damaged { file: place.segment.to_string(), at, why });
        }
        self.next = Some(RecordPlace { segment: next.to_string().into(), at: HEADER as u64 });
        Ok(Some(records))
    }

    /// The segment that has the record behind the last one that was read.
    fn first_segment(&self, names: &[SegmentName]) -> Option<Arc<str>> {
        let with = names.iter().rfind(|name| name.first <= self.after.saturating_add(1));
        with.or(names.first()).map(|name| name.to_string().into())
    }

    /// Reads a record again; `None` where its segment was removed or copied meanwhile.
    ///
    /// # Errors
    /// Of the disk.
    pub fn record(folder: &Path, id: Id, place: &RecordPlace) -> io::Result<Option<PlacedRecord>> {
        let file = match File::open(folder.join(&*place.segment)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let found = read_chunk(&file, id, place.at, 4 << 10)?.into_iter().next();
        Ok(found.filter(|(head, _)| head.rows > 0).map(|(head, payload)| PlacedRecord {
            first: head.first,
            rows: head.rows,
            payload,
            place: place.clone(),
        }))
    }
}

fn is_gone(failure: &Failure) -> bool {
    matches!(failure, Failure::Disk(error) if error.kind() == io::ErrorKind::NotFound)
}

/// The whole records from a place of a file on: about so many bytes, at least one where there is one.
fn read_chunk(file: &File, id: Id, at: u64, most: usize) -> io::Result<Vec<(Head, Vec<u8>)>> {
    let left = usize::try_from(file.metadata()?.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let read = |bytes: usize| {
        let mut found = vec![0; bytes];
        // The owner may cut the file meanwhile.
        let mut filled = 0;
        while filled < bytes {
            match file.read_at(&mut found[filled..], at + filled as u64)? {
                0 => break,
                more => filled += more,
            }
        }
        found.truncate(filled);
        Ok::<_, io::Error>(found)
    };
    let mut bytes = read(left.min(most.max(RECORD)))?;
    if Head::read(&bytes, id).is_none() && bytes.len() < left {
        let whole = Head::size(&bytes).map_or(RECORD, |payload| RECORD + payload);
        bytes = read(left.min(whole))?;
    }
    let mut records = Vec::new();
    let mut rest = &bytes[..];
    while let Some((head, payload)) = Head::read(rest, id) {
        rest = &rest[RECORD + payload.len()..];
        records.push((head, payload.to_vec()));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::{Journal, Options, RealDisk};

    fn append(journal: &Journal, payload: Vec<u8>, rows: u32) -> u64 {
        let (sender, receiver) = channel();
        journal.append(payload, rows, move |ended| drop(sender.send(ended))).unwrap();
        receiver.recv().unwrap().unwrap().last
    }

    fn rest(follower: &mut Follower, folder: &Path) -> Vec<(u64, u64, usize)> {
        let published = Follower::published(folder).unwrap().unwrap();
        let mut all = Vec::new();
        loop {
            let records = follower.read(published.id, published.durable, 200).unwrap();
            if records.is_empty() {
                return all;
            }
            for record in records {
                let again = Follower::record(folder, published.id, &record.place).unwrap();
                assert_eq!(again.as_ref(), Some(&record));
                all.push((record.first, record.last(), record.payload.len()));
            }
        }
    }

    #[test]
    fn a_follower_reads_all_that_is_durable_through_segments_and_owners() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(Follower::published(path).unwrap_err().kind(), io::ErrorKind::NotFound);
        let options = || Options { segment_bytes: 300, ..Options::default() };
        let mut follower = Follower::new(path, 0);
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for owner in 0..3_u32 {
            let journal = Journal::open(RealDisk::lock(path).unwrap(), options()).unwrap();
            for size in [1, 90, 10_000, 3] {
                let last = append(&journal, vec![7; size], 1 + owner);
                expected.push((last - u64::from(owner), last, size));
                if size != 90 {
                    seen.extend(rest(&mut follower, path));
                }
            }
            assert_eq!(seen, expected);
            assert_eq!(rest(&mut Follower::new(path, 0), path), expected, "from the beginning");
        }
        let middle = expected[6].1;
        assert_eq!(rest(&mut Follower::new(path, middle), path), expected[7..]);
        assert_eq!(Follower::published(path).unwrap().unwrap().durable, expected[11].1);
    }

    #[test]
    fn nothing_is_published_until_the_next_owner_has_read_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let journal = Journal::open(RealDisk::lock(path).unwrap(), Options::default()).unwrap();
        append(&journal, vec![1], 5);
        drop(journal);
        assert_eq!(Follower::published(path).unwrap().unwrap().durable, 5, "its owner has ended");
        let disk = RealDisk::lock(path).unwrap();
        assert_eq!(Follower::published(path).unwrap(), None);
        let journal = Journal::open(disk, Options::default()).unwrap();
        let published = Follower::published(path).unwrap().unwrap();
        assert_eq!((published.durable, published.id), (5, journal.id()));
        journal.applied(5).unwrap();
    }

    #[test]
    fn segments_that_were_removed_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let options = Options { segment_bytes: 100, ..Options::default() };
        let journal = Journal::open(RealDisk::lock(path).unwrap(), options).unwrap();
        let mut follower = Follower::new(path, 0);
        for _ in 0..3 {
            append(&journal, vec![1; 80], 1);
        }
        let id = journal.id();
        let read = follower.read(id, 3, 1).unwrap();
        assert_eq!(read[0].first, 1);
        journal.applied(2).unwrap();
        assert_eq!(Follower::record(path, id, &read[0].place).unwrap(), None);
        assert_eq!(rest(&mut follower, path), [(3, 3, 80)]);
    }
}
