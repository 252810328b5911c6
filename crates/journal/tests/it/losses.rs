//! Segments that are missing or damaged are noticed and named, and accepting their loss keeps all rows that can be
//! read, wherever the machine stops.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;

use duet_journal::{
    Disk, Failure, Journal, Loss, Mark, Options, Position, RealDisk, Survey, accept_losses,
};

use crate::simulated::Simulated;

fn options(applied: u64) -> Options {
    Options { segment_bytes: 300, applied, ..Options::default() }
}

fn append(journal: &Journal, rows: u32) -> u64 {
    let (sender, receiver) = channel();
    let done = move |ended| drop(sender.send(ended));
    journal.append(vec![b'x'; 60], rows, done).unwrap();
    receiver.recv().unwrap().unwrap().last
}

fn mark(applied: u64) -> Option<Mark> {
    Some(Mark { applied, ..Mark::default() })
}

/// Eight segments with three records of two rows each, the last one with two.
fn journal() -> Simulated {
    let disk = Simulated::new();
    let journal = Journal::open(disk.clone(), options(0)).unwrap();
    for _ in 0..23 {
        append(&journal, 2);
    }
    drop(journal);
    assert_eq!(disk.segments().len(), 8);
    disk
}

fn losses(disk: &Simulated, applied: u64) -> Vec<Loss> {
    Survey::of(disk).unwrap().losses(mark(applied))
}

/// The sequence ids of the first rows of all records that can be read behind one.
fn rows(disk: &Simulated, applied: u64) -> Vec<u64> {
    let journal = Journal::open(disk.clone(), options(applied)).unwrap();
    let (mut position, mut all) = (Position::after(applied), Vec::new());
    loop {
        let next = journal.read(&mut position, 100).unwrap();
        if next.is_empty() {
            return all;
        }
        all.extend(next.iter().map(|record| record.first));
    }
}

fn damage(disk: &Simulated, segment: usize, at: usize) -> String {
    let name = disk.segments()[segment].clone();
    disk.0.lock().unwrap().files.get_mut(&name).unwrap().content[at] ^= 4;
    name
}

fn remove(disk: &Simulated, segment: usize) -> String {
    let name = disk.segments()[segment].clone();
    disk.0.lock().unwrap().files.remove(&name);
    name
}

#[test]
fn each_missing_segment_is_named_with_its_rows() {
    for missing in 0..8 {
        let disk = journal();
        let name = remove(&disk, missing);
        let found = losses(&disk, 0);
        assert_eq!(found.len(), 1, "{missing}: {found:?}");
        let (from, to) = (6 * missing as u64 + 1, (6 * missing as u64 + 6).min(46));
        let loss = &found[0];
        assert_eq!(loss.segment.as_deref(), Some(&*name));
        assert_eq!((loss.from, loss.to, loss.rows), (from, to, to + 1 - from), "{loss}");
        assert!(loss.to_string().starts_with(&format!("{name} is missing; ")), "{loss}");
        // Where all of it is applied, it is not missed.
        let kept = losses(&disk, to);
        assert_eq!(kept.is_empty(), missing < 7, "{kept:?}");
    }
}

#[test]
fn all_segments_are_missing() {
    let disk = journal();
    let names: Vec<String> = (0..8).map(|_| remove(&disk, 0)).collect();
    let found = losses(&disk, 10);
    let named: Vec<&str> = found.iter().filter_map(|loss| loss.segment.as_deref()).collect();
    assert_eq!(named, names[1..], "the first is applied");
    assert_eq!(found.iter().map(|loss| loss.rows).sum::<u64>(), 36);
    let done = accept_losses(&disk, mark(10), 5).unwrap();
    assert_eq!((done.losses.len(), done.aside.len()), (7, 0));
    assert!(losses(&disk, 10).is_empty());
    // No sequence id is given twice, whatever was acknowledged behind those that are known.
    let journal = Journal::open(disk.clone(), options(10)).unwrap();
    assert!(append(&journal, 1) > 1 << 32);
    assert_eq!(journal.accepted_losses().len(), 7);
    journal.told_losses().unwrap();
    drop(journal);
    assert_eq!(Journal::open(disk, options(10)).unwrap().accepted_losses(), []);
}

/// The end of the last segment is cut off: what was published says that rows are missing.
#[test]
fn a_cut_tail_is_noticed() {
    let disk = journal();
    let name = disk.segments()[7].clone();
    disk.0.lock().unwrap().files.get_mut(&name).unwrap().content.truncate(64);
    let found = losses(&disk, 0);
    assert_eq!((found.len(), found[0].from, found[0].to), (1, 43, 46), "{found:?}");
    assert!(found[0].is_open);
}

#[test]
fn any_wrong_byte_is_named_and_costs_its_record_alone() {
    let sound: Vec<u64> = (0..23).map(|record| 2 * record + 1).collect();
    let length = {
        let disk = journal();
        let name = disk.segments()[3].clone();
        disk.length(&name).unwrap()
    };
    for at in 0..usize::try_from(length).unwrap() {
        let disk = journal();
        let name = damage(&disk, 3, at);
        let found = losses(&disk, 0);
        assert!(!found.is_empty(), "{at}");
        assert!(found.iter().all(|loss| loss.segment.as_deref() == Some(&*name)), "{found:?}");
        assert!(matches!(
            Journal::open(disk.clone(), options(0)),
            Err(Failure::Damaged { file, .. }) if file == name
        ));
        let lost: u64 = found.iter().map(|loss| loss.rows).sum();
        let done = accept_losses(&disk, mark(0), 5).unwrap();
        assert_eq!(done.aside, [format!("{name}.damaged")]);
        let kept = rows(&disk, 0);
        assert!(kept.len() >= 22 && kept.iter().all(|row| sound.contains(row)), "{at}: {kept:?}");
        assert_eq!(46 - lost, 2 * kept.len() as u64, "{at}: {found:?}");
        assert!(losses(&disk, 0).is_empty());
    }
}

/// Segments are damaged and missing, and the machine stops at each operation of the acceptance, in several ways.
#[test]
fn an_acceptance_that_is_broken_off_has_happened_or_not() {
    let before = journal();
    let damaged = [damage(&before, 1, 100), damage(&before, 4, 180), damage(&before, 6, 70)];
    remove(&before, 2);
    let originals: BTreeMap<String, Vec<u8>> = damaged
        .iter()
        .map(|name| (name.clone(), before.0.lock().unwrap().files[name].content.clone()))
        .collect();
    let found = losses(&before, 3);
    let after = before.copied();
    accept_losses(&after, mark(3), 5).unwrap();
    let kept = rows(&after, 3);
    assert_eq!(kept.len(), 23 - 1 - 3 - 3, "{kept:?}");
    let (mut old, mut new) = (0, 0);
    for left in 0.. {
        let disk = before.copied();
        disk.0.lock().unwrap().left = Some(left);
        let is_whole = accept_losses(&disk, mark(3), 5).is_ok();
        for seed in 1..=5_u64 {
            let mut state = seed * 0x9e37_79b9;
            let mut random = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state >> 8
            };
            let disk = disk.cut_power(&mut random);
            let still = losses(&disk, 3);
            if still.is_empty() {
                new += 1;
            } else {
                old += 1;
                assert!(!is_whole);
                assert_eq!(still, found, "{left}");
                for (name, bytes) in &originals {
                    assert_eq!(disk.0.lock().unwrap().files[name].content, *bytes);
                }
                // It is accepted by the next try.
                accept_losses(&disk, mark(3), 6).unwrap();
            }
            assert_eq!(rows(&disk, 3), kept, "{left}");
            assert!(losses(&disk, 3).is_empty());
            let state = disk.0.lock().unwrap();
            for (name, bytes) in &originals {
                assert_eq!(state.files[&format!("{name}.damaged")].content, *bytes, "it is kept");
            }
            assert!(!state.files.keys().any(|name| name.ends_with(".repaired")));
        }
        if is_whole {
            break;
        }
    }
    assert!(old > 20 && new > 20, "{old} {new}");
}

/// A journal of an earlier version has no manifest: it gets one, and nothing is missed.
#[test]
fn a_journal_without_a_manifest_gets_one() {
    let disk = journal();
    disk.0.lock().unwrap().files.remove("manifest").unwrap();
    assert!(losses(&disk, 0).is_empty());
    assert_eq!(rows(&disk, 0).len(), 23);
    remove(&disk, 5);
    assert_eq!(losses(&disk, 0).len(), 1);
}

/// What cannot be known is said: a manifest that cannot be read, and no segments.
#[test]
fn a_damaged_manifest_without_segments_is_a_loss() {
    let disk = journal();
    {
        let mut state = disk.0.lock().unwrap();
        state.files.get_mut("manifest").unwrap().content[30] ^= 1;
    }
    assert!(losses(&disk, 0).is_empty(), "the segments have everything");
    (0..8).for_each(|_| drop(remove(&disk, 0)));
    let found = losses(&disk, 0);
    assert!(!found.is_empty(), "{found:?}");
    accept_losses(&disk, mark(0), 5).unwrap();
    assert!(losses(&disk, 0).is_empty());
    assert!(rows(&disk, 0).is_empty());
}

/// What an owner has published stays known through the starts of others that do not get as far.
#[test]
fn what_was_published_outlives_starts_that_fail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let journal = Journal::open(RealDisk::lock(path).unwrap(), options(0)).unwrap();
    for _ in 0..5 {
        append(&journal, 1);
    }
    let id = journal.id();
    drop(journal);
    for _ in 0..3 {
        let left = RealDisk::lock(path).unwrap().left().unwrap();
        assert_eq!((left.id, left.durable), (id, 5));
    }
    let journal = Journal::open(RealDisk::lock(path).unwrap(), options(0)).unwrap();
    append(&journal, 1);
    journal.withdraw();
    append(&journal, 1);
    assert_eq!(duet_journal::Follower::published(path).unwrap(), None);
    drop(journal);
    assert_eq!(RealDisk::lock(path).unwrap().left().unwrap().durable, 6);
}
