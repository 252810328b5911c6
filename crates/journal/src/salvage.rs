//! What can still be read of a damaged segment: the records in front of the damage, and those behind it.

use crate::format::{HEADER, Head, Id, RECORD};

/// Bytes that are hashed while a record is looked for behind a damage.
const SEARCHED: usize = 256 << 20;

/// A record, by its place and sequence ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sound {
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) sum: u32,
    pub(crate) first: u64,
    pub(crate) rows: u32,
    /// All records up to this sequence id were synced before this one was written.
    synced: u64,
}

impl Sound {
    pub(crate) fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.rows)).saturating_sub(1)
    }
}

/// Bytes between records that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) at: usize,
    /// How many of the records are in front of it.
    pub(crate) behind: usize,
}

/// The records of a segment, wherever it is damaged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SalvagedRecords {
    pub(crate) records: Vec<Sound>,
    pub(crate) holes: Vec<Hole>,
    /// Where bytes begin behind the last record that are no record.
    pub(crate) tail: Option<usize>,
    /// The last sequence id of the segment, as its seal says.
    pub(crate) sealed: Option<u64>,
}

/// Reads all records of a segment, also those behind a damage; its header is not looked at.
///
/// A record behind a damage is one where the length of the damaged one leads to it, or where records follow each
/// other from it to the end of the segment. So bytes of a row that look like a record are taken for none.
pub(crate) fn salvage(bytes: &[u8], id: Id, previous: u64) -> SalvagedRecords {
    let mut all = SalvagedRecords::default();
    let (mut at, mut last, mut budget) = (HEADER, previous, SEARCHED);
    while at < bytes.len() {
        if let Some(record) = record(bytes, at, id, last) {
            (at, last) = (record.end, record.last());
            all.records.push(record);
            continue;
        }
        if let Some(end) = seal(bytes, at, id)
            && end.0 == bytes.len()
        {
            all.sealed = Some(end.1);
            return all;
        }
        let Some(next) = next(bytes, at, last, id, &mut budget) else {
            all.tail = Some(at);
            return all;
        };
        all.holes.push(Hole { at, behind: all.records.len() });
        at = next;
    }
    all
}

impl SalvagedRecords {
    /// What of it counts in the last segment: behind a place that cannot be read, and that no later record shows to
    /// have been synced, nothing was acknowledged.
    pub(crate) fn without_torn_group(mut self, previous: u64) -> Self {
        let is_torn = |hole: &Hole| {
            let (before, behind) = self.records.split_at(hole.behind);
            let last = before.last().map_or(previous, Sound::last);
            self.sealed.is_none() && !behind.iter().any(|record| record.synced > last)
        };
        if let Some(first) = self.holes.iter().position(is_torn) {
            let hole = self.holes[first];
            self.tail = Some(hole.at);
            self.records.truncate(hole.behind);
            self.holes.truncate(first);
        }
        self
    }
}

fn record(bytes: &[u8], at: usize, id: Id, last: u64) -> Option<Sound> {
    let (head, payload) = Head::read(bytes.get(at..)?, id)?;
    let end = at + RECORD + payload.len();
    let is_next = head.rows > 0 && head.first > last;
    let Head { sum, first, rows, synced, .. } = head;
    is_next.then_some(Sound { at, end, sum, first, rows, synced })
}

/// Where a seal ends, and the last sequence id that it names.
fn seal(bytes: &[u8], at: usize, id: Id) -> Option<(usize, u64)> {
    let (head, payload) = Head::read(bytes.get(at..)?, id)?;
    (head.rows == 0).then_some((at + RECORD + payload.len(), head.first))
}

/// Where the first record or the seal behind a damage begins.
fn next(bytes: &[u8], at: usize, last: u64, id: Id, budget: &mut usize) -> Option<usize> {
    let is_one = |at| record(bytes, at, id, last).is_some() || seal(bytes, at, id).is_some();
    let led_to = Head::size(bytes.get(at..)?).map(|payload| at + RECORD + payload);
    if let Some(next) = led_to.filter(|next| is_one(*next)) {
        return Some(next);
    }
    for next in at + 1..bytes.len().saturating_sub(RECORD - 1) {
        if !bytes[next..].starts_with(b"DREC") {
            continue;
        }
        let payload = Head::size(&bytes[next..]).unwrap_or(0);
        *budget = budget.checked_sub(RECORD + payload.min(bytes.len() - next))?;
        if is_one(next) && reaches_the_end(bytes, next, last, id, budget) {
            return Some(next);
        }
    }
    None
}

/// Whether records follow each other from a place to the end of the segment.
fn reaches_the_end(bytes: &[u8], mut at: usize, mut last: u64, id: Id, budget: &mut usize) -> bool {
    while at < bytes.len() {
        let end = match (record(bytes, at, id, last), seal(bytes, at, id)) {
            (Some(record), _) => {
                last = record.last();
                record.end
            }
            (None, Some((end, _))) => end,
            (None, None) => return false,
        };
        match budget.checked_sub(end - at) {
            Some(left) => *budget = left,
            None => return false,
        }
        at = end;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Header, RecordRows, Seal, write_record};

    const ID: Id = Id([3; 16]);

    fn segment(payloads: &[&[u8]], sealed: bool) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Header { id: ID, first: 1, generation: 1, previous: 0 }.bytes().to_vec();
        let (mut seal, mut starts) = (Seal::default(), Vec::new());
        for (number, payload) in (0_u64..).zip(payloads) {
            starts.push(bytes.len());
            let rows = RecordRows { first: 2 * number + 1, count: 2, synced: 2 * number };
            seal.add(write_record(&mut bytes, ID, rows, payload));
        }
        starts.push(bytes.len());
        if sealed {
            seal.write(&mut bytes, ID, 2 * payloads.len() as u64);
        }
        (bytes, starts)
    }

    fn firsts(salvaged: &SalvagedRecords) -> Vec<u64> {
        salvaged.records.iter().map(|record| record.first).collect()
    }

    /// Any wrong byte takes one record with it, and no other.
    #[test]
    fn every_wrong_byte_costs_its_record_alone() {
        for sealed in [false, true] {
            let (bytes, starts) = segment(&[b"one", b"two", b"three"], sealed);
            for at in HEADER..starts[3] {
                let mut wrong = bytes.clone();
                wrong[at] ^= 0x10;
                let damaged = starts[1..].iter().filter(|start| **start <= at).count();
                let salvaged = salvage(&wrong, ID, 0);
                let kept = [1, 3, 5].into_iter().enumerate().filter(|(it, _)| *it != damaged);
                let kept: Vec<u64> = kept.map(|(_, first)| first).collect();
                assert_eq!(firsts(&salvaged), kept, "{at}");
                match damaged == 2 && !sealed {
                    true => assert_eq!(salvaged.tail, Some(starts[2]), "{at}"),
                    false => {
                        let hole = Hole { at: starts[damaged], behind: damaged };
                        assert_eq!(salvaged.holes, [hole], "{at}");
                    }
                }
            }
            let salvaged = salvage(&bytes, ID, 0);
            assert_eq!((salvaged.holes.len(), salvaged.tail), (0, None));
            assert_eq!(salvaged.sealed, sealed.then_some(6));
        }
    }

    /// A client may send bytes that look like a record: where the record around them is damaged, they are none.
    #[test]
    fn a_record_inside_of_a_row_is_none() {
        let mut forged = b"x".to_vec();
        write_record(&mut forged, ID, RecordRows { first: 3, count: 2, synced: 2 }, b"forged");
        write_record(&mut forged, ID, RecordRows { first: 5, count: 2, synced: 4 }, b"forged");
        forged.extend_from_slice(b"rest");
        let (mut bytes, starts) = segment(&[b"one", &forged, b"three"], true);
        // Its length too, so that nothing leads to the next record.
        bytes[starts[1] + 8] ^= 1;
        let salvaged = salvage(&bytes, ID, 0);
        assert_eq!(firsts(&salvaged), [1, 5]);
        assert_eq!(salvaged.records[1].at, starts[2]);
    }
}
