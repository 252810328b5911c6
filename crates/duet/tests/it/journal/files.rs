//! `duet journal inspect`, `verify` and `replay` read the golden journal, and damaged copies of it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{duet, duet_says};

const SEGMENT: &str = "00000000000000000005-0000000002.segment";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/journal")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The output of each reader is a file beside the segment.
#[test]
fn readers_print_the_golden_journal() {
    let (folder, accept) = (golden(), std::env::var_os("DUET_ACCEPT").is_some_and(|it| it == "1"));
    let path = text(&folder);
    for (name, arguments) in [
        ("segments.txt", &["inspect", path][..]),
        ("records.ndjson", &["inspect", path, "--records"]),
        ("verified.txt", &["verify", path]),
        ("rows.ndjson", &["replay", path]),
        (
            "rows-of-one.ndjson",
            &["replay", path, "--after", "5", "--resource", "/ords/lab/reading/"],
        ),
    ] {
        let said = duet_says(&[&["journal"], arguments].concat());
        let file = folder.join(name);
        if accept {
            fs::write(&file, &said).unwrap();
        }
        assert_eq!(said, fs::read_to_string(&file).unwrap_or_default(), "{name}");
    }
    let (code, _, said) = duet(&["journal", "replay", path, "--resource", "/ords/lab/other"]);
    assert!(code == 1 && said.contains("it has rows of /ords/lab/reading."), "{said}");
    let segment = folder.join(SEGMENT);
    assert_eq!(
        duet_says(&["journal", "inspect", text(&segment)]),
        duet_says(&["journal", "inspect", path])
    );
}

/// Any wrong byte of a sealed segment is found, and the rows in front of it are printed.
#[test]
fn damage_is_found_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(golden().join(SEGMENT)).unwrap();
    let path = folder.path().join(SEGMENT);
    let mut wrong = bytes.clone();
    // In the second record.
    wrong[210] ^= 1;
    fs::write(&path, &wrong).unwrap();
    let (code, _, errors) = duet(&["journal", "verify", text(folder.path())]);
    assert_eq!(code, 1);
    assert!(errors.contains(&format!("{SEGMENT} is damaged at byte 194")), "{errors}");
    let (code, out, errors) = duet(&["journal", "replay", text(&path)]);
    assert_eq!((code, out.lines().count()), (1, 3), "{errors}");
    // Without the seal and a part of the last record, it is a torn tail.
    fs::write(&path, &bytes[..260]).unwrap();
    let said = duet_says(&["journal", "verify", text(&path)]);
    assert!(said.ends_with("The last 66 bytes were never acknowledged.\n"), "{said}");
    assert_eq!(duet_says(&["journal", "replay", text(&path)]).lines().count(), 3);
}

#[test]
fn no_journal_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (path, expected) in [("", "holds no segments"), ("nowhere", "cannot be read")] {
        let path = folder.path().join(path);
        let (code, _, errors) = duet(&["journal", "inspect", text(&path)]);
        assert_eq!(code, 1);
        assert!(errors.contains(expected), "{errors}");
    }
    fs::write(folder.path().join("a"), [7; 100]).unwrap();
    let (code, _, errors) = duet(&["journal", "verify", text(&folder.path().join("a"))]);
    assert_eq!(code, 1);
    assert!(errors.contains("this is no segment of a journal"), "{errors}");
}
