//! What people write about a run, in a file beside its result: a line of JSON each, so that a note can be added while the
//! run goes on, and none changes what was measured.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use duet_verdict::result::Note;

use super::NOTES;

/// The notes of a run's folder, in the order in which they were written; none without a file. A line that is not a note is
/// left out: it was cut while it was written.
pub fn notes(folder: &Path) -> Vec<Note> {
    let text = fs::read_to_string(folder.join(NOTES)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Adds a note.
///
/// # Errors
/// If it cannot be written.
pub fn add_note(folder: &Path, note: &Note) -> io::Result<()> {
    let mut line = serde_json::to_vec(note)?;
    line.push(b'\n');
    OpenOptions::new().create(true).append(true).open(folder.join(NOTES))?.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_kept_in_order() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(notes(folder.path()), []);
        let note = |at_s, text: &str| Note { at_s, text: text.into() };
        let both = [note(7, "an index\nwas made"), note(3, "<b>")];
        both.iter().for_each(|note| add_note(folder.path(), note).unwrap());
        OpenOptions::new()
            .append(true)
            .open(folder.path().join(NOTES))
            .unwrap()
            .write_all(b"{\"at_s\":")
            .unwrap();
        assert_eq!(notes(folder.path()), both);
    }
}
