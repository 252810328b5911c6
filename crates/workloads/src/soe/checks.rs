//! The checks that order entry makes of responses, counted where they are made, by type of transaction.

use std::sync::Arc;

use duet_bench::workload::{CheckCounts, Failed};

/// A check, by its place in [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// A statement that changes a row by its key changed one.
    OneRow,
    /// The customer that was just registered is found under its name.
    NewCustomer,
    /// The response's status is the expected one.
    Status,
    /// A function returned what it did.
    FunctionCounts,
    /// A transaction of several operations reports that each was done.
    AllDone,
    /// A row is of the requested product, category, warehouse, hour or representative.
    RequestedRow,
    /// Rows are in the requested order.
    Sorted,
}

/// The names of all checks, as results show them.
pub(super) const NAMES: [&str; 7] = [
    "changes one row",
    "finds the new customer",
    "has the expected status",
    "returns its counts",
    "reports that all was done",
    "returns requested rows",
    "returns rows in order",
];

/// The checks of one user, who is in one type of transaction at a time.
#[derive(Clone, Debug)]
pub(super) struct UserChecks {
    counts: Arc<CheckCounts>,
    kind: usize,
}

impl UserChecks {
    /// Checks that count into these counts.
    pub(super) fn new(counts: &Arc<CheckCounts>) -> Self {
        Self { counts: counts.clone(), kind: 0 }
    }

    /// What follows belongs to this type.
    pub(super) fn enter(&mut self, kind: usize) {
        self.kind = kind;
    }

    /// Counts a check.
    ///
    /// # Errors
    /// What `said` says, where it did not pass.
    pub(super) fn hold(
        &self,
        check: Check,
        passed: bool,
        said: impl FnOnce() -> String,
    ) -> Result<(), Failed> {
        match self.counts.of(self.kind).note(check as usize, passed) {
            true => Ok(()),
            false => Err(Failed::check(said())),
        }
    }

    /// Counts a check whose failure has an error of its own.
    pub(super) fn note(&self, check: Check, passed: bool) -> bool {
        self.counts.of(self.kind).note(check as usize, passed)
    }
}

#[cfg(test)]
mod tests {
    use duet_bench::workload::Kind;

    use super::*;

    #[test]
    fn checks_belong_to_the_type_under_way() {
        let counts = Arc::new(CheckCounts::new(&NAMES, 2));
        let mut checks = UserChecks::new(&counts);
        checks.enter(1);
        let failed = checks.hold(Check::Sorted, false, || "not in order".into()).unwrap_err();
        assert_eq!(failed.said, "not in order");
        checks.note(Check::OneRow, true);
        let rows = counts.rows(&[Kind::new("A", "A", 1.0), Kind::new("B", "B", 1.0)]);
        let shown: Vec<_> = rows.iter().map(|it| (&*it.name, it.passed, it.failed)).collect();
        assert_eq!(shown, [("B: changes one row", 1, 0), ("B: returns rows in order", 0, 1)]);
    }
}
