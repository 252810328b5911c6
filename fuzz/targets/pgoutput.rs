//! Feeds arbitrary bytes to the reader of logical replication messages. Run with `cargo +nightly fuzz run pgoutput`.
//! Checked: no panic, every text that is read is part of the message, and a message with a byte behind it is refused.
#![no_main]

use duet_pgconnect::pgoutput::{Field, Message, Old, Tuple, parse};
use libfuzzer_sys::fuzz_target;

fn check(bytes: &[u8], tuple: &Tuple<'_>) {
    let whole = bytes.as_ptr_range();
    for field in tuple {
        if let Field::Text(text) = field {
            let part = text.as_bytes().as_ptr_range();
            assert!(whole.start <= part.start && part.end <= whole.end);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(message) = parse(bytes) else { return };
    let old = |old: &Old<'_>| match old {
        Old::Key(tuple) | Old::Whole(tuple) => check(bytes, tuple),
    };
    match &message {
        Message::Insert { new, .. } => check(bytes, new),
        Message::Update { old: before, new, .. } => {
            before.iter().for_each(old);
            check(bytes, new);
        }
        Message::Delete { old: before, .. } => old(before),
        Message::Other => return,
        Message::Begin { .. }
        | Message::Commit { .. }
        | Message::Relation(_)
        | Message::Truncate { .. } => {}
    }
    assert!(parse(&[bytes, &[0]].concat()).is_err());
});
