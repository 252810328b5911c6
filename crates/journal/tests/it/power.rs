//! Records are appended to a disk that fills up, fails and loses its power at any operation: what was
//! acknowledged is there afterwards, once, in order, and nothing is there that was not appended.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;

use duet_journal::{Failure, Journal, Mark, Options, OwnedRecord, Position, Survey};
use proptest::prelude::*;

use crate::simulated::Simulated;

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
        let mut disk = Simulated::new();
        let mut known = Known::default();
        for (steps, left, seed) in lives {
            disk.0.lock().unwrap().left = left;
            // Also while it is being recovered, the machine may stop.
            let options_of = |applied| Options { applied, ..options() };
            if let Ok(journal) = Journal::open(disk.clone(), options_of(known.applied))
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
            // Nothing is missed that was not lost.
            let mark = Mark { applied: known.applied, ..Mark::default() };
            let losses = Survey::of(&disk).unwrap().losses(Some(mark));
            prop_assert!(losses.is_empty(), "{:?}", losses);
            let journal = Journal::open(disk.clone(), options_of(known.applied));
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
    let disk = Simulated::new();
    let journal = Journal::open(disk.clone(), options()).unwrap();
    let mut known = Known::default();
    while journal.usage().refused == 0 {
        known.append(&journal, &[1_000]);
    }
    // A record that begins a segment brings its header.
    assert!(journal.usage().bytes <= 60_064, "{:?}", journal.usage());
    let all = disk.segments().len();
    assert!(all > 10, "{all}");
    journal.applied(journal.high_water_mark()).unwrap();
    assert_eq!(disk.segments().len(), 1);
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
