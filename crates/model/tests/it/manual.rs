//! Compares the manual's table of error codes with the code. `DUET_ACCEPT=1` rewrites it.

use std::fmt::Write;
use std::path::Path;

use duet_model::Code;
use duet_text::remedy::Remedy;

/// The end of the table's header; the text before it is written by hand.
/// The cause of each is a part of its page that every server has.
const HEAD: &str = "|---|---|---|---|\n";

#[test]
fn the_manual_lists_all_error_codes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let stored = std::fs::read_to_string(&path).unwrap();
    let (before, _) = stored.split_once(HEAD).unwrap();
    let mut text = format!("{before}{HEAD}");
    for code in Code::ALL {
        let (name, status, title) = (code.as_str(), code.status(), code.title());
        let Remedy { cure, .. } = code.remedy();
        writeln!(text, "| {name} | {status} | {title} | {cure} |").unwrap();
    }
    if std::env::var_os("DUET_ACCEPT").is_some() {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    assert_eq!(stored, text, "docs/errors.md is out of date: run with DUET_ACCEPT=1");
}

/// The manual says of each promise what holds where it is kept, and what happens where it is not.
#[test]
fn promises_are_in_the_manual() {
    let page = include_str!("../../../../docs/scaling.md");
    for words in duet_model::promise::PROMISES {
        let row = format!("| `{}` | {} | {} |", words.name, words.kept, words.broken);
        assert!(page.contains(&row), "{row}");
    }
}
