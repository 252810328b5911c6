//! Counts the checks of a file: a row of the result for each of them.

use std::collections::BTreeSet;

use duet_verdict::result::CheckRow;

use super::definition::Scalar;
use crate::record::CheckCount;

/// The longest text in a check's name, in characters.
const LONGEST: usize = 60;

/// A check, counted over all users of a process.
#[derive(Debug)]
pub(super) struct CheckCounter {
    name: String,
    count: CheckCount,
}

impl CheckCounter {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), count: CheckCount::default() }
    }

    /// Counts a response; returns whether the check passed.
    pub(super) fn note(&self, held: bool) -> bool {
        self.count.note(held)
    }

    /// Its row; `place` is its position in the file.
    pub(super) fn row(&self, place: &str) -> CheckRow {
        self.count.row(format!("{place}: {}", self.name), "")
    }
}

/// Numbers rows with equal names, such as those truncated to the same text: rows of several
/// processes are added by name.
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

/// A value as written in the file, with its placeholders, on one line.
pub(super) fn written(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Truth(truth) => truth.to_string(),
        Scalar::Whole(number) => number.to_string(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => cut(text),
    }
}

/// A text on one line, truncated if it is long.
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
    fn checks_truncated_to_the_same_name_have_separate_rows() {
        let long = "a".repeat(LONGEST);
        let name = |text: String| CheckCounter::new(format!("content has {}", cut(&text))).row("T");
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
    fn a_check_is_counted_under_its_position() {
        let held = CheckCounter::new("status is 200");
        assert!(held.note(true) && !held.note(false) && held.note(true));
        let name = "TEAM step 2: status is 200".into();
        assert_eq!(
            held.row("TEAM step 2"),
            CheckRow { name, passed_outside: 2, failed_outside: 1, ..CheckRow::default() }
        );
        let long = written(&Scalar::Text("ab\n".repeat(40)));
        assert_eq!(
            (long.chars().count(), long.ends_with('…'), long.contains('\n')),
            (61, true, false)
        );
    }
}
