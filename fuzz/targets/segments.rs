//! Feeds arbitrary bytes to the reader of segments and of the rows in their records. Run with `cargo +nightly fuzz run
//! segments`, with the segment of `golden/journal` as a first corpus. Checked: no panic, records lie in the file one
//! behind the other with ascending sequence ids, and rows that can be read are written as the same bytes.
#![no_main]

use duet_journal::{End, Entry, scan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let found = scan(bytes);
    let mut end = 0;
    let mut last = found.previous;
    for record in &found.records {
        assert!(record.at >= end && record.first > last && record.rows > 0);
        end = record.at + record.payload.len() as u64;
        last = record.last();
        if let Some(entry) = Entry::decode(record.payload) {
            assert_eq!(entry.encode(), record.payload);
        }
    }
    assert!(end <= bytes.len() as u64 && found.length <= bytes.len() as u64);
    if let End::Torn { at } | End::Damaged { at, .. } = found.end {
        assert!(at <= bytes.len() as u64 && at >= end);
    }
    if let Some(entry) = Entry::decode(bytes) {
        assert_eq!(entry.encode(), bytes);
    }
});
