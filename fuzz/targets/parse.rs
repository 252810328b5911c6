//! Feeds arbitrary text to the parser of `q`. Run with `cargo +nightly fuzz run parse`. Checked: no panic, and
//! [`common::check`].
#![no_main]

mod common;

use duet_filter::{Limits, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    common::check(text, parse(text, &common::FIELDS, &Limits::default()));
});
