//! Records are appended to a disk that fills up, fails and loses its power at any operation: what was
//! acknowledged is there afterwards, once, in order, and nothing is there that was not appended.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use duet_journal::{Disk, Failure, Journal, Options, OwnedRecord, Position};
use proptest::prelude::*;

/// Disks write so many bytes at once.
const SECTOR: usize = 512;

#[derive(Clone, Debug, Default)]
struct File {
    content: Vec<u8>,
    synced: Vec<u8>,
}

/// What was done to the names of files since they were synced.
#[derive(Clone, Debug)]
enum Naming {
    Made(String),
    Removed(String),
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, File>,
    /// Files that were removed, with the last content: names come back with a power cut.
    removed: BTreeMap<String, File>,
    naming: Vec<Naming>,
    /// Bytes that all files may have.
    room: usize,
    /// Operations until the machine stops.
    left: Option<usize>,
}

/// A disk in memory.
#[derive(Clone, Debug, Default)]
struct Simulated(Arc<Mutex<State>>);

impl Simulated {
    fn work<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.0.lock().unwrap();
        match &mut state.left {
            Some(0) => return Err(io::Error::other("the machine has stopped")),
            Some(left) => *left -= 1,
            None => {}
        }
        work(&mut state)
    }

    /// What a power cut leaves: of each file every sector that was not synced as before or as after, and
    /// rubbish where it grew; of the changes of names the first few.
    fn cut_power(&self, random: &mut impl FnMut() -> u64) -> Self {
        let state = self.0.lock().unwrap();
        let mut files = state.files.clone();
        let kept = usize::try_from(random()).unwrap() % (state.naming.len() + 1);
        for naming in state.naming[kept..].iter().rev() {
            match naming {
                Naming::Made(name) => drop(files.remove(name)),
                Naming::Removed(name) => {
                    files.insert(name.clone(), state.removed[name].clone());
                }
            }
        }
        for file in files.values_mut() {
            let length = match random() % 2 {
                0 => file.content.len(),
                _ => file.synced.len().min(file.content.len()),
            };
            let mut left = file.synced.clone();
            left.resize(length, 0xa5);
            for start in (0..length).step_by(SECTOR) {
                let end = (start + SECTOR).min(length).min(file.content.len());
                if random().is_multiple_of(2) && start < end {
                    left[start..end].copy_from_slice(&file.content[start..end]);
                }
            }
            *file = File { content: left.clone(), synced: left };
        }
        let state = State { files, room: usize::MAX, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }
}

fn missing() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl Disk for Simulated {
    fn names(&self) -> io::Result<Vec<String>> {
        self.work(|state| Ok(state.files.keys().cloned().collect()))
    }

    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
        self.work(|state| {
            let content = &state.files.get(name).ok_or_else(missing)?.content;
            let at = usize::try_from(at).unwrap().min(content.len());
            Ok(content[at..].iter().copied().take(bytes).collect())
        })
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        self.work(|state| Ok(state.files.get(name).ok_or_else(missing)?.content.len() as u64))
    }

    fn create(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            if state.files.insert(name.to_owned(), File::default()).is_some() {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            state.naming.push(Naming::Made(name.to_owned()));
            Ok(())
        })
    }

    fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.work(|state| {
            let used: usize = state.files.values().map(|file| file.content.len()).sum();
            let fits = bytes.len().min(state.room.saturating_sub(used));
            let content = &mut state.files.get_mut(name).ok_or_else(missing)?.content;
            let at = usize::try_from(at).unwrap();
            content.truncate(at);
            content.extend_from_slice(&bytes[..fits]);
            if fits < bytes.len() {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Ok(())
        })
    }

    fn cut(&self, name: &str, length: u64) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.get_mut(name).ok_or_else(missing)?;
            file.content.truncate(usize::try_from(length).unwrap());
            Ok(())
        })
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.get_mut(name).ok_or_else(missing)?;
            file.synced = file.content.clone();
            Ok(())
        })
    }

    fn sync_names(&self) -> io::Result<()> {
        self.work(|state| {
            state.naming.clear();
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.remove(name).ok_or_else(missing)?;
            state.removed.insert(name.to_owned(), file);
            state.naming.push(Naming::Removed(name.to_owned()));
            Ok(())
        })
    }

    fn is_ours(&self) -> bool {
        true
    }
}

fn options() -> Options {
    Options { segment_bytes: 3_000, bytes: 60_000, ..Options::default() }
}

/// Everything behind a sequence id.
fn read_all(journal: &Journal, after: u64) -> Vec<OwnedRecord> {
    let mut position = Position::after(after);
    let mut all = Vec::new();
    loop {
        match journal.read(&mut position, 700).unwrap() {
            next if next.is_empty() => return all,
            next => all.extend(next),
        }
    }
}

/// What is done between two starts.
#[derive(Clone, Debug)]
enum Step {
    /// Records of these lengths are appended at once.
    Append(Vec<u16>),
    /// A part of what is durable is applied, in hundredths.
    Apply(u8),
    /// So many bytes are left on the disk, or any number of them.
    Room(Option<u16>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop::collection::vec(0_u16..1_500, 1..4).prop_map(Step::Append),
        2 => (0_u8..=100).prop_map(Step::Apply),
        1 => prop::option::of(0_u16..3_000).prop_map(Step::Room),
    ]
}

/// What the test knows: the payload of each acknowledged record by its first sequence id, and all payloads.
#[derive(Default)]
struct Known {
    acknowledged: BTreeMap<u64, Vec<u8>>,
    appended: Vec<Vec<u8>>,
    applied: u64,
}

impl Known {
    fn run(&mut self, journal: &Journal, disk: &Simulated, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Append(lengths) => self.append(journal, lengths),
                Step::Apply(part) => {
                    let durable = journal.high_water_mark();
                    let open = durable.saturating_sub(self.applied);
                    self.applied += open * u64::from(*part) / 100;
                    // Its disk may have stopped.
                    drop(journal.applied(self.applied));
                }
                Step::Room(room) => {
                    let mut state = disk.0.lock().unwrap();
                    let used: usize = state.files.values().map(|file| file.content.len()).sum();
                    state.room = room.map_or(usize::MAX, |room| used + usize::from(room));
                }
            }
        }
    }

    fn append(&mut self, journal: &Journal, lengths: &[u16]) {
        let (sender, receiver) = channel();
        let mut waiting = 0;
        for length in lengths {
            let number = self.appended.len();
            let mut payload = format!("{number}:").into_bytes();
            payload.resize(payload.len() + usize::from(*length), b'x');
            self.appended.push(payload.clone());
            let sender = sender.clone();
            let told = payload.clone();
            let done = move |ended| drop(sender.send((told, ended)));
            match journal.append(payload, u32::try_from(number % 3).unwrap() + 1, done) {
                Ok(()) => waiting += 1,
                Err(failure) => assert!(matches!(failure, Failure::Full), "{failure}"),
            }
        }
        for (payload, ended) in receiver.iter().take(waiting) {
            if let Ok(ids) = ended {
                assert!(self.acknowledged.insert(ids.first, payload).is_none(), "{}", ids.first);
            }
        }
    }

    fn check(&self, journal: &Journal) -> Result<(), TestCaseError> {
        let found = read_all(journal, self.applied);
        prop_assert!(found.is_sorted_by(|one, next| one.last() < next.first));
        for record in &found {
            prop_assert!(self.appended.contains(&record.payload), "never appended");
        }
        for (first, payload) in self.acknowledged.range(self.applied + 1..) {
            let kept = found.iter().find(|record| record.first == *first);
            prop_assert_eq!(kept.map(|record| &record.payload), Some(payload), "{} is lost", first);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_acknowledged_is_lost(
        lives in prop::collection::vec((prop::collection::vec(step(), 0..14), prop::option::of(0_usize..90), any::<u64>()), 1..6),
    ) {
        let mut disk = Simulated::default();
        disk.0.lock().unwrap().room = usize::MAX;
        let mut known = Known::default();
        for (steps, left, seed) in lives {
            disk.0.lock().unwrap().left = left;
            // Also while it is being recovered, the machine may stop.
            if let Ok(journal) = Journal::open(disk.clone(), options())
                && journal.applied(known.applied).is_ok()
            {
                known.run(&journal, &disk, &steps);
            }
            let mut state = seed | 1;
            let mut random = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state >> 8
            };
            disk = disk.cut_power(&mut random);
            let journal = Journal::open(disk.clone(), options());
            let journal = journal.map_err(|failure| TestCaseError::fail(failure.to_string()))?;
            known.check(&journal)?;
            drop(journal);
        }
    }
}

/// A disk without room refuses records, and takes them again when there is room.
#[test]
fn a_full_disk_refuses_and_recovers() {
    let disk = Simulated::default();
    disk.0.lock().unwrap().room = 1_000;
    let journal = Journal::open(disk.clone(), options()).unwrap();
    let mut known = Known::default();
    for _ in 0..10 {
        known.append(&journal, &[200]);
    }
    let before = known.acknowledged.len();
    assert!((2..10).contains(&before), "{before}");
    assert!(journal.usage().failures > 0);
    disk.0.lock().unwrap().room = usize::MAX;
    known.append(&journal, &[200]);
    assert_eq!(known.acknowledged.len(), before + 1);
    known.check(&journal).unwrap();
    drop(journal);
    // Full also while it is opened: what is there is read all the same.
    let used = disk.0.lock().unwrap().files.values().map(|file| file.content.len()).sum();
    disk.0.lock().unwrap().room = used;
    known.check(&Journal::open(disk, options()).unwrap()).unwrap();
}

/// A journal with more than its limit refuses records until some are applied, and removes what is applied.
#[test]
fn a_full_journal_takes_records_again_when_some_are_applied() {
    let disk = Simulated::default();
    disk.0.lock().unwrap().room = usize::MAX;
    let journal = Journal::open(disk.clone(), options()).unwrap();
    let mut known = Known::default();
    while journal.usage().refused == 0 {
        known.append(&journal, &[1_000]);
    }
    // A record that begins a segment brings its header.
    assert!(journal.usage().bytes <= 60_064, "{:?}", journal.usage());
    let all = disk.0.lock().unwrap().files.len();
    assert!(all > 10, "{all}");
    journal.applied(journal.high_water_mark()).unwrap();
    assert_eq!(disk.0.lock().unwrap().files.len(), 1);
    known.applied = journal.high_water_mark();
    known.append(&journal, &[1_000]);
    known.check(&journal).unwrap();
    assert_eq!(read_all(&journal, known.applied).len(), 1);
}

/// What is applied gives its room to new records, also in the newest segment, and after a start.
#[test]
fn a_full_disk_takes_records_again_once_the_others_are_applied() {
    let disk = Simulated::default();
    disk.0.lock().unwrap().room = 1_000;
    let (mut known, mut accepted) = (Known::default(), 0);
    for _ in 0..3 {
        let journal = Journal::open(disk.clone(), options()).unwrap();
        journal.applied(known.applied).unwrap();
        for _ in 0..20 {
            known.append(&journal, &[200]);
            assert_eq!(known.acknowledged.len(), accepted + 1, "the disk stays full");
            accepted += 1;
            known.check(&journal).unwrap();
            known.applied = journal.high_water_mark();
            journal.applied(known.applied).unwrap();
        }
        // One that is not applied is kept, whatever comes.
        known.append(&journal, &[200]);
        accepted = known.acknowledged.len();
        known.append(&journal, &[900]);
        assert_eq!(known.acknowledged.len(), accepted, "there is no room for both");
        known.check(&journal).unwrap();
        known.applied = journal.high_water_mark();
    }
}
