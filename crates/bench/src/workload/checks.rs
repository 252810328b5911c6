//! Counts the checks of responses: by check and type of transaction, for all users of a process.

use duet_verdict::result::CheckRow;

use super::{Failed, TransactionType};
use crate::record::CheckCount;

/// How often each check passed and failed, by type of transaction.
#[derive(Debug)]
pub struct CheckCounts {
    names: &'static [&'static str],
    /// By type, then by check.
    kinds: Vec<Vec<CheckCount>>,
}

/// The checks of one type of transaction.
#[derive(Clone, Copy, Debug)]
pub struct Checker<'a> {
    names: &'static [&'static str],
    counts: &'a [CheckCount],
}

impl CheckCounts {
    /// Counts for these checks and this many types.
    pub fn new(names: &'static [&'static str], kinds: usize) -> Self {
        let none = || names.iter().map(|_| CheckCount::default()).collect();
        Self { names, kinds: (0..kinds).map(|_| none()).collect() }
    }

    /// The checks of the type with this number; those of an unknown type are not counted.
    pub fn of(&self, kind: usize) -> Checker<'_> {
        let counts = self.kinds.get(kind).map(Vec::as_slice).unwrap_or_default();
        Checker { names: self.names, counts }
    }

    /// A row for each type and check that was made.
    pub fn rows(&self, kinds: &[TransactionType]) -> Vec<CheckRow> {
        let mut rows = Vec::new();
        for (kind, counts) in kinds.iter().zip(&self.kinds) {
            for (name, count) in self.names.iter().zip(counts) {
                let row = count.row(format!("{}: {name}", kind.short), &kind.short);
                rows.extend(row.was_made().then_some(row));
            }
        }
        rows
    }
}

impl Checker<'_> {
    /// Counts a check; returns whether it passed.
    pub fn note(self, check: usize, passed: bool) -> bool {
        if let Some(count) = self.counts.get(check) {
            count.note(passed);
        }
        passed
    }

    /// Counts a check.
    ///
    /// # Errors
    /// The check's name, if it failed.
    pub fn hold(self, check: usize, passed: bool) -> Result<(), Failed> {
        match self.note(check, passed) {
            true => Ok(()),
            false => Err(Failed::check(self.name(check))),
        }
    }

    /// The check's name.
    pub fn name(self, check: usize) -> &'static str {
        self.names.get(check).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_counted_by_type() {
        let counts = CheckCounts::new(&["is found", "is right"], 2);
        let [first, second] = [counts.of(0), counts.of(1)];
        assert!(first.hold(0, true).is_ok() && first.note(0, true));
        assert_eq!(first.hold(1, false).unwrap_err().message, "is right");
        assert!(!second.note(0, false) && counts.of(2).note(0, true));
        let kinds =
            [TransactionType::new("Get", "GET", 1.0), TransactionType::new("Put", "PUT", 1.0)];
        let rows = counts.rows(&kinds);
        let counted: Vec<_> =
            rows.iter().map(|it| (&*it.name, it.passed_outside, it.failed_outside)).collect();
        let expected = [("GET: is found", 2, 0), ("GET: is right", 0, 1), ("PUT: is found", 0, 1)];
        assert_eq!(counted, expected);
        assert_eq!(rows[2].transaction, "PUT");
    }
}
