//! A journal that this process owns.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::disk::Disk;
use crate::error::Failure;
use crate::format::{HEADER, Head, Id, MOST, RECORD};
use crate::manifest::{AcceptedLoss, remove_if_there};
use crate::options::Options;
use crate::published::DurableMark;
use crate::recovery::{RecoveredJournal, recover};
use crate::segments::Segment;
use crate::shared::{State, WriterState};
use crate::writer::{SequenceIds, Waiting, Writer};

/// What a journal holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes that records may take before they are applied.
    pub limit: u64,
    /// Bytes of segments with records that are not applied, and of records that wait to be written.
    pub bytes: u64,
    /// Segments on the disk.
    pub segments: usize,
    /// Syncs so far.
    pub syncs: u64,
    /// Groups of records that the disk did not take.
    pub failures: u64,
    /// Records refused because the journal was full.
    pub refused: u64,
}

/// Where a reader is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Records up to this sequence id were read.
    pub after: u64,
    /// The segment that is being read, and the place in it.
    place: Option<(String, u64)>,
}

impl Position {
    /// Behind a sequence id.
    pub fn after(after: u64) -> Self {
        Self { after, place: None }
    }
}

/// A record, copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// The sequence id of its first row.
    pub first: u64,
    /// How many rows it has.
    pub rows: u32,
    /// What was appended.
    pub payload: Vec<u8>,
}

impl OwnedRecord {
    /// The sequence id of its last row.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.rows)).saturating_sub(1)
    }
}

/// A journal that this process owns. Dropped, it writes what still waits, and gives its folder up.
pub struct Journal {
    shared: Arc<WriterState>,
    id: Id,
    generation: u64,
    sender: Option<Sender<Waiting>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Journal {
    /// Opens a journal, and recovers what an earlier owner has left; a new one where there is none.
    ///
    /// # Errors
    /// [`Failure::Damaged`] where records that were acknowledged cannot be read; others of the disk.
    pub fn open(disk: impl Disk, options: Options) -> Result<Self, Failure> {
        Self::open_on(Arc::new(disk), options)
    }

    /// The same on a disk of any kind.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Self, Failure> {
        let applied = options.applied;
        let RecoveredJournal { id, generation, last, floor, segments, manifest } =
            recover(&*disk, applied)?;
        disk.publish(DurableMark { id, durable: last, given: last });
        let (sender, receiver) = channel();
        let shared = Arc::new(WriterState {
            disk,
            options,
            state: Mutex::new(State { segments, durable: last, applied }),
            manifest: Mutex::new(manifest),
            queued: AtomicU64::new(0),
            floor: AtomicU64::new(floor.max(applied)),
            given: AtomicU64::new(last),
            taken_over: AtomicBool::new(false),
            withdrawn: AtomicBool::new(false),
            syncs: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let writer = Writer {
            shared: Arc::clone(&shared),
            receiver,
            id,
            generation,
            given: floor,
            open: None,
        };
        let thread = thread::Builder::new().name("journal-writer".to_owned());
        let thread = thread.spawn(move || writer.run())?;
        Ok(Self { shared, id, generation, sender: Some(sender), thread: Some(thread) })
    }

    /// The journal's random name.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The number of this owner; that of an earlier owner is smaller.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Appends a record of so many rows, each of which gets a sequence id. `done` is told on the thread that
    /// writes when the record is synced, or that it was not kept. It must not wait.
    ///
    /// # Errors
    /// [`Failure::Full`], [`Failure::TooLarge`] and [`Failure::TakenOver`] at once; `done` is then not called.
    pub fn append(
        &self,
        payload: Vec<u8>,
        rows: u32,
        done: impl FnOnce(Result<SequenceIds, Failure>) + Send + 'static,
    ) -> Result<(), Failure> {
        self.push(Waiting { payload, rows, synced: true, done: Box::new(done) })
    }

    /// The same, told when the record is written: it survives the process, and not the machine until the
    /// sync that follows at once.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_unsynced(
        &self,
        payload: Vec<u8>,
        rows: u32,
        done: impl FnOnce(Result<SequenceIds, Failure>) + Send + 'static,
    ) -> Result<(), Failure> {
        self.push(Waiting { payload, rows, synced: false, done: Box::new(done) })
    }

    fn push(&self, waiting: Waiting) -> Result<(), Failure> {
        let shared = &*self.shared;
        if shared.is_taken_over() {
            return Err(Failure::TakenOver);
        }
        if waiting.rows == 0 {
            return Err(Failure::Full);
        }
        let bytes = waiting.bytes();
        let most = shared.options.bytes.min(MOST as u64);
        if waiting.payload.len() > MOST || bytes > shared.options.bytes {
            return Err(Failure::TooLarge { most });
        }
        let queued = shared.queued.fetch_add(bytes, Ordering::AcqRel) + bytes;
        if queued.saturating_add(shared.unapplied()) > shared.options.bytes {
            shared.queued.fetch_sub(bytes, Ordering::AcqRel);
            shared.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Failure::Full);
        }
        let sender = self.sender.as_ref().ok_or(Failure::Closed)?;
        sender.send(waiting).map_err(|_| Failure::Closed)
    }

    /// The last durable sequence id.
    pub fn high_water_mark(&self) -> u64 {
        self.shared.lock().durable
    }

    /// The last sequence id that was acknowledged, perhaps before its sync.
    pub fn given(&self) -> u64 {
        self.shared.given.load(Ordering::Acquire)
    }

    /// Says that everything up to a sequence id is applied: segments that hold nothing else are removed, and
    /// new sequence ids are greater.
    ///
    /// # Errors
    /// Of the disk; the rest of the segments are removed with a later call.
    pub fn applied(&self, last: u64) -> Result<(), Failure> {
        let shared = &*self.shared;
        shared.floor.fetch_max(last, Ordering::AcqRel);
        let removed: Vec<String> = {
            let mut state = shared.lock();
            state.applied = state.applied.max(last);
            let applied = state.applied;
            // The last one keeps the journal's id, and may be written.
            let newest = state.segments.len().saturating_sub(1);
            let done = state.segments[..newest].iter().take_while(|it| it.last <= applied).count();
            state.segments.drain(..done).map(|segment| segment.name).collect()
        };
        if shared.is_taken_over() || (!removed.is_empty() && !shared.disk.is_ours()) {
            return Err(shared.taken_over());
        }
        let disk = &*shared.disk;
        removed.iter().try_for_each(|name| remove_if_there(disk, name)).map_err(Failure::from)
    }

    /// Rows up to this sequence id that are in no segment are not missed.
    pub fn settled(&self) -> u64 {
        self.shared.manifest().settled
    }

    /// Losses that the operator has accepted, and that the database was not yet told.
    pub fn accepted_losses(&self) -> Vec<AcceptedLoss> {
        self.shared.manifest().losses.clone()
    }

    /// Says that the database knows these losses.
    ///
    /// # Errors
    /// Of the disk; then they are given again.
    pub fn told_losses(&self) -> Result<(), Failure> {
        let mut manifest = self.shared.manifest();
        if manifest.losses.is_empty() {
            return Ok(());
        }
        let losses = std::mem::take(&mut manifest.losses);
        if let Err(error) = manifest.store(&*self.shared.disk) {
            manifest.losses = losses;
            return Err(error.into());
        }
        Ok(())
    }

    /// Takes back what is published of it, so that other processes know that it is not to be relied on.
    pub fn withdraw(&self) {
        self.shared.withdrawn.store(true, Ordering::Release);
        self.shared.disk.withdraw();
    }

    /// The next durable records behind a position, which moves behind them: about `bytes` of them, at least
    /// one where there is one.
    ///
    /// # Errors
    /// [`Failure::Damaged`] where they cannot be read; others of the disk.
    pub fn read(&self, position: &mut Position, bytes: usize) -> Result<Vec<OwnedRecord>, Failure> {
        loop {
            let next = {
                let state = self.shared.lock();
                let next = state.segments.iter().find(|segment| segment.last > position.after);
                next.cloned()
            };
            let Some(segment) = next else { return Ok(Vec::new()) };
            let at = match &position.place {
                Some((name, at)) if *name == segment.name => *at,
                _ => HEADER as u64,
            };
            let records = self.read_segment(&segment, at, position, bytes)?;
            if !records.is_empty() {
                return Ok(records);
            }
        }
    }

    /// Reads on in a segment that has more.
    fn read_segment(
        &self,
        segment: &Segment,
        at: u64,
        position: &mut Position,
        most: usize,
    ) -> Result<Vec<OwnedRecord>, Failure> {
        let left = usize::try_from(segment.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let disk = &*self.shared.disk;
        let damaged = |at: u64| Failure::Damaged {
            file: segment.name.clone(),
            at,
            why: "a record that was synced cannot be read".to_owned(),
        };
        let mut bytes = disk.read(&segment.name, at, left.min(most.max(RECORD)))?;
        if Head::read(&bytes, self.id).is_none() && bytes.len() < left {
            bytes = disk.read(&segment.name, at, left.min(RECORD + MOST))?;
        }
        let mut records = Vec::new();
        let mut rest = &bytes[..];
        while let Some((head, payload)) =
            Head::read(rest, self.id).filter(|(head, _)| head.rows > 0)
        {
            rest = &rest[RECORD + payload.len()..];
            if head.last() > position.after {
                let payload = payload.to_vec();
                records.push(OwnedRecord { first: head.first, rows: head.rows, payload });
                position.after = head.last();
            }
        }
        let read = bytes.len() - rest.len();
        if read == 0 {
            return Err(damaged(at));
        }
        position.place = Some((segment.name.clone(), at + read as u64));
        Ok(records)
    }

    /// Writes what still waits, and gives the folder up. The last durable sequence id.
    pub fn close(mut self) -> u64 {
        self.end();
        self.high_water_mark()
    }

    fn end(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // It has panicked: those who wait see a closed channel.
            drop(thread.join());
        }
    }

    /// What it holds.
    pub fn usage(&self) -> Usage {
        let shared = &*self.shared;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Usage {
            limit: shared.options.bytes,
            bytes: shared.unapplied() + count(&shared.queued),
            segments: shared.lock().segments.len(),
            syncs: count(&shared.syncs),
            failures: count(&shared.failures),
            refused: count(&shared.refused),
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.end();
    }
}
