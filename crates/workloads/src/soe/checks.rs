//! The checks of order entry's responses, counted by type of transaction.

use std::sync::Arc;

use duet_bench::workload::{CheckCounts, Failed};

/// A check, by its index in [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// An update by key changed one row.
    OneRow,
    /// A newly registered customer is found by its name.
    NewCustomer,
    /// The response's status is the expected one.
    Status,
    /// A function returned its counts.
    FunctionCounts,
    /// A transaction of several operations reports each of them.
    AllDone,
    /// A row is of the requested product, category, warehouse, hour or representative.
    RequestedRow,
    /// Rows are in the requested order.
    Sorted,
}

/// The names of all checks in results.
pub(super) const NAMES: [&str; 7] = [
    "changes one row",
    "finds the new customer",
    "has the expected status",
    "returns its counts",
    "reports that all was done",
    "returns requested rows",
    "returns rows in order",
];

/// The checks of one user, who runs one type of transaction at a time.
#[derive(Clone, Debug)]
pub(super) struct UserChecks {
    counts: Arc<CheckCounts>,
    kind: usize,
}

impl UserChecks {
    /// Checks that add to these counts.
    pub(super) fn new(counts: &Arc<CheckCounts>) -> Self {
        Self { counts: counts.clone(), kind: 0 }
    }

    /// Sets the type of the following checks.
    pub(super) fn enter(&mut self, kind: usize) {
        self.kind = kind;
    }

    /// Counts a check.
    ///
    /// # Errors
    /// The message of `message`, if it failed.
    pub(super) fn hold(
        &self,
        check: Check,
        passed: bool,
        message: impl FnOnce() -> String,
    ) -> Result<(), Failed> {
        match self.counts.of(self.kind).note(check as usize, passed) {
            true => Ok(()),
            false => Err(Failed::check(message())),
        }
    }

    /// Counts a check whose failure has its own error.
    pub(super) fn note(&self, check: Check, passed: bool) -> bool {
        self.counts.of(self.kind).note(check as usize, passed)
    }
}

#[cfg(test)]
mod tests {
    use duet_bench::workload::TransactionType;

    use super::*;

    #[test]
    fn checks_belong_to_the_type_under_way() {
        let counts = Arc::new(CheckCounts::new(&NAMES, 2));
        let mut checks = UserChecks::new(&counts);
        checks.enter(1);
        let failed = checks.hold(Check::Sorted, false, || "not in order".into()).unwrap_err();
        assert_eq!(failed.message, "not in order");
        checks.note(Check::OneRow, true);
        let rows = counts.rows(&[TransactionType::new("A", "A", 1.0), TransactionType::new("B", "B", 1.0)]);
        let shown: Vec<_> =
            rows.iter().map(|it| (&*it.name, it.passed_outside, it.failed_outside)).collect();
        assert_eq!(shown, [("B: changes one row", 1, 0), ("B: returns rows in order", 0, 1)]);
    }
}
