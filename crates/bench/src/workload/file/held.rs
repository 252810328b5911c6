//! How often the checks of a file held: a row of the result for each of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_verdict::result::CheckRow;

use super::definition::Scalar;

/// As many characters of a text are part of a check's name.
const LONGEST: usize = 60;

/// A check, counted by all users of a process.
#[derive(Debug)]
pub(super) struct Held {
    name: String,
    passed: AtomicU64,
    failed: AtomicU64,
}

impl Held {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), passed: AtomicU64::new(0), failed: AtomicU64::new(0) }
    }

    /// Counts an answer; gives back whether the check held.
    pub(super) fn note(&self, held: bool) -> bool {
        let count = if held { &self.passed } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
        held
    }

    /// The row; `place` says where in the file the check stands.
    pub(super) fn row(&self, place: &str) -> CheckRow {
        CheckRow {
            name: format!("{place}: {}", self.name),
            transaction: String::new(),
            passed: self.passed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}

/// Numbers the rows that have the name of one before them, such as those that are cut to the same text:
/// rows of several processes are added by their names.
pub(super) fn tell_apart(rows: &mut [CheckRow]) {
    let mut seen = BTreeSet::new();
    for row in rows {
        let mut name = row.name.clone();
        for number in 2.. {
            if seen.insert(name.clone()) {
                break;
            }
            name = format!("{} ({number})", row.name);
        }
        row.name = name;
    }
}

/// A value as the file has it, placeholders and all, on one line.
pub(super) fn written(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Truth(truth) => truth.to_string(),
        Scalar::Whole(number) => number.to_string(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => cut(text),
    }
}

/// A text on one line, cut where it is long.
pub(super) fn cut(text: &str) -> String {
    let mut line: String = text.chars().take(LONGEST).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_that_are_cut_to_the_same_name_are_rows_of_their_own() {
        let long = "a".repeat(LONGEST);
        let name = |text: String| Held::new(format!("content has {}", cut(&text))).row("T");
        let mut rows = ["x", "y", "z"].map(|end| name(format!("{long}{end}")));
        tell_apart(&mut rows);
        let first = format!("T: content has {long}…");
        let expected = [first.clone(), format!("{first} (2)"), format!("{first} (3)")];
        assert_eq!(rows.map(|row| row.name), expected);
        let mut rows = ["b", "b (2)", "b"].map(|text| name(text.into()));
        tell_apart(&mut rows);
        assert_eq!(rows[2].name, "T: content has b (3)");
    }

    #[test]
    fn a_check_is_counted_under_its_place() {
        let held = Held::new("status is 200");
        assert!(held.note(true) && !held.note(false) && held.note(true));
        let name = "TEAM step 2: status is 200".into();
        assert_eq!(
            held.row("TEAM step 2"),
            CheckRow { name, passed: 2, failed: 1, ..CheckRow::default() }
        );
        let long = written(&Scalar::Text("ab\n".repeat(40)));
        assert_eq!(
            (long.chars().count(), long.ends_with('…'), long.contains('\n')),
            (61, true, false)
        );
    }
}
