//! Feeds arbitrary text to the parser of CQL. Run with `cargo +nightly fuzz run cql`. Checked: no panic,
//! [`common::check`], and that a query is read back from its normalized form.
#![no_main]

mod common;

use duet_filter::{Limits, cql};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let limits = Limits::default();
    common::check(text, cql::parse(text, &common::FIELDS, &limits));
    if let Ok(query) = cql::read(text, &limits) {
        // The normalized form may be longer than the limit.
        let limits = Limits { bytes: usize::MAX, ..limits };
        assert_eq!(cql::read(&query.to_string(), &limits).as_ref(), Ok(&query), "{text}");
    }
});
