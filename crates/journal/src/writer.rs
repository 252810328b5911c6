//! The thread that writes: all records that wait, one sync, then all acknowledgements.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use crate::error::Failure;
use crate::format::{HEADER, Header, Id, RECORD, RecordRows, Seal, write_record};
use crate::manifest::remove_if_there;
use crate::published::DurableMark;
use crate::segments::{ListedSegment, Segment, SegmentName};
use crate::shared::WriterState;

/// Bytes that are written and synced at once.
const GROUP: usize = 8 << 20;

/// The sequence ids of the rows of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceIds {
    /// That of the first row.
    pub first: u64,
    /// That of the last row.
    pub last: u64,
}

/// Says how it ended.
pub(crate) type Done = Box<dyn FnOnce(Result<SequenceIds, Failure>) + Send>;

/// A record that waits to be written.
pub(crate) struct Waiting {
    pub(crate) payload: Vec<u8>,
    pub(crate) rows: u32,
    /// Whether it is acknowledged only when it is synced.
    pub(crate) synced: bool,
    pub(crate) done: Done,
}

impl Waiting {
    pub(crate) fn bytes(&self) -> u64 {
        (RECORD + self.payload.len()) as u64
    }
}

/// The thread's state.
pub(crate) struct Writer {
    pub(crate) shared: Arc<WriterState>,
    pub(crate) receiver: Receiver<Waiting>,
    pub(crate) id: Id,
    pub(crate) generation: u64,
    /// The last sequence id that was given.
    pub(crate) given: u64,
    /// The segment that is written.
    pub(crate) open: Option<OpenSegment>,
}

/// The segment that is written.
pub(crate) struct OpenSegment {
    name: String,
    /// Where the next record goes: everything in front is synced.
    length: u64,
    seal: Seal,
    /// Whether something may follow that was not acknowledged.
    dirty: bool,
}

impl Writer {
    /// Writes until the journal is closed.
    pub(crate) fn run(mut self) {
        while let Ok(first) = self.receiver.recv() {
            let mut group = vec![first];
            let mut bytes = group[0].bytes();
            while bytes < GROUP as u64
                && let Ok(next) = self.receiver.try_recv()
            {
                bytes += next.bytes();
                group.push(next);
            }
            self.group(group, bytes);
        }
        // Without it the next owner copies the segment.
        if self.shared.disk.is_ours() {
            let last = self.shared.lock().durable;
            drop(self.seal(last));
        }
    }

    fn group(&mut self, group: Vec<Waiting>, bytes: u64) {
        let mut early: Vec<(Done, SequenceIds)> = Vec::new();
        let mut late: Vec<(Done, SequenceIds)> = Vec::new();
        let synced = self.shared.lock().durable;
        self.given = self.given.max(self.shared.floor.load(Ordering::Acquire)).max(synced);
        let first = self.given + 1;
        let mut written = Written::default();
        for waiting in group {
            let rows = RecordRows { first: self.given + 1, count: waiting.rows, synced };
            written.sums.push(write_record(&mut written.bytes, self.id, rows, &waiting.payload));
            self.given += u64::from(waiting.rows);
            written.rows += u64::from(waiting.rows);
            let ids = SequenceIds { first: rows.first, last: self.given };
            if waiting.synced { &mut late } else { &mut early }.push((waiting.done, ids));
        }
        written.last = self.given;
        let ended = self.write(first, synced, &written);
        let ended = ended.and_then(|()| {
            if let Some((_, last)) = early.last() {
                self.shared.given.fetch_max(last.last, Ordering::AcqRel);
                let (id, given) = (self.id, last.last);
                self.shared.publish(DurableMark { id, durable: synced, given });
            }
            early.drain(..).for_each(|(done, ids)| done(Ok(ids)));
            self.sync(&written)
        });
        self.shared.queued.fetch_sub(bytes, Ordering::AcqRel);
        match &ended {
            Ok(()) => self.shared.is_durable(),
            Err(failure) => self.shared.failed(failure),
        }
        for (done, ids) in early.into_iter().chain(late) {
            done(ended.clone().map(|()| ids));
        }
    }

    /// Writes a group. On a full disk segments whose records are all applied make room for it.
    fn write(&mut self, first: u64, synced: u64, written: &Written) -> Result<(), Failure> {
        match self.try_to_write(first, synced, written) {
            Err(failure) if failure.is_disk_full() && self.make_room()? => {
                self.try_to_write(first, synced, written)
            }
            ended => ended,
        }
    }

    /// Removes all segments, also the newest, where nothing in them is needed any more. Whether it did. The
    /// next one continues the journal: the manifest has its name, and up to where nothing is missed.
    fn make_room(&mut self) -> Result<bool, Failure> {
        let disk = &*self.shared.disk;
        let Some((mut segments, durable)) = self.shared.all_applied() else { return Ok(false) };
        if !disk.is_ours() {
            return Err(self.shared.taken_over());
        }
        self.open = None;
        let Some(newest) = segments.pop() else { return Ok(false) };
        segments.iter().try_for_each(|segment| remove_if_there(disk, &segment.name))?;
        // Its header stays until the manifest says that nothing of it is missed; without its records, there is
        // room for that.
        disk.cut(&newest.name, HEADER as u64)?;
        let mut manifest = self.shared.manifest();
        manifest.settled = manifest.settled.max(durable);
        manifest.segments.clear();
        manifest.store(disk)?;
        drop(manifest);
        disk.remove(&newest.name)?;
        self.shared.lock().segments.clear();
        Ok(true)
    }

    /// Writes a group behind the open segment, or into a new one.
    fn try_to_write(&mut self, first: u64, synced: u64, written: &Written) -> Result<(), Failure> {
        if self.shared.is_taken_over() {
            return Err(Failure::TakenOver);
        }
        self.repair()?;
        let most = self.shared.options.segment_bytes;
        if self.open.as_ref().is_some_and(|open| open.length >= most) {
            self.seal(synced)?;
        }
        if self.open.is_none() {
            self.open = Some(self.create(first, synced)?);
        }
        let Some(open) = &mut self.open else { return Err(Failure::Closed) };
        open.dirty = true;
        self.shared.disk.write(&open.name, open.length, &written.bytes)?;
        Ok(())
    }

    /// Syncs a group that was written.
    fn sync(&mut self, written: &Written) -> Result<(), Failure> {
        let Some(open) = &mut self.open else { return Err(Failure::Closed) };
        let disk = &*self.shared.disk;
        disk.sync(&open.name)?;
        // Whoever takes over reads what is synced by then, and nothing that comes later.
        if !disk.is_ours() {
            return Err(self.shared.taken_over());
        }
        open.dirty = false;
        open.length += written.bytes.len() as u64;
        written.sums.iter().for_each(|sum| open.seal.add(*sum));
        let mut state = self.shared.lock();
        if let Some(segment) = state.segments.last_mut() {
            (segment.last, segment.length) = (written.last, open.length);
            segment.rows += written.rows;
        }
        state.durable = written.last;
        drop(state);
        let (id, last) = (self.id, written.last);
        self.shared.given.fetch_max(last, Ordering::AcqRel);
        self.shared.publish(DurableMark { id, durable: last, given: last });
        Ok(())
    }

    /// Removes what a failed group has left behind the last synced record.
    fn repair(&mut self) -> Result<(), Failure> {
        let Some(open) = self.open.as_mut().filter(|open| open.dirty) else { return Ok(()) };
        let disk = &*self.shared.disk;
        disk.cut(&open.name, open.length)?;
        disk.sync(&open.name)?;
        open.dirty = false;
        Ok(())
    }

    fn seal(&mut self, last: u64) -> Result<(), Failure> {
        self.repair()?;
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut seal = Vec::new();
        open.seal.write(&mut seal, self.id, last);
        open.dirty = true;
        let disk = &*self.shared.disk;
        disk.write(&open.name, open.length, &seal)?;
        disk.sync(&open.name)?;
        self.open = None;
        Ok(())
    }

    fn create(&self, first: u64, previous: u64) -> Result<OpenSegment, Failure> {
        let (disk, generation) = (&*self.shared.disk, self.generation);
        let name = SegmentName { first, generation };
        let header = Header { id: self.id, first, generation, previous };
        let create = || {
            disk.create(&name.to_string())?;
            disk.write(&name.to_string(), 0, &header.bytes())?;
            disk.sync(&name.to_string())?;
            disk.sync_names()?;
            self.list(name)
        };
        create().inspect_err(|_: &io::Error| {
            // Where it stays, it has no record, and the next segment has another name.
            drop(disk.remove(&name.to_string()));
        })?;
        let (name, length) = (name.to_string(), HEADER as u64);
        let segment = Segment { name: name.clone(), last: previous, length, rows: 0 };
        self.shared.lock().segments.push(segment);
        Ok(OpenSegment { name, length, seal: Seal::default(), dirty: false })
    }

    /// Writes a new segment to the manifest, before anything in it is acknowledged.
    fn list(&self, name: SegmentName) -> io::Result<()> {
        let mut listed: Vec<ListedSegment> =
            self.shared.lock().segments.iter().filter_map(Segment::listed).collect();
        listed.push(ListedSegment { name, last: None, rows: 0 });
        let mut manifest = self.shared.manifest();
        manifest.segments = listed;
        manifest.store(&*self.shared.disk)
    }
}

/// A group as bytes.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    sums: Vec<u32>,
    last: u64,
    rows: u64,
}
