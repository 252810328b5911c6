//! The failures on one side of a series: counts, kinds and the most frequent messages.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::outcome::Outcome;
use crate::result::RunResult;
use crate::text::{counted, short};

/// The failures of one side over all its trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Failures {
    /// All transactions, including failed ones.
    pub transactions: u64,
    /// Failed.
    pub failed: u64,
    /// Failed by kind: `timeout`, `check`, `connection`.
    pub kinds: BTreeMap<String, u64>,
    /// The server's messages with their counts.
    pub messages: BTreeMap<String, u64>,
}

impl Failures {
    /// Adds a trial.
    pub fn add(&mut self, result: &RunResult) {
        let totals = &result.totals;
        let failed = totals.failed + totals.unfinished;
        self.transactions += totals.completed + failed;
        self.failed += failed;
        if totals.unfinished > 0 {
            *self.kinds.entry("unfinished".into()).or_default() += totals.unfinished;
        }
        let is_failure = |name: &str| {
            Outcome::ALL.iter().any(|outcome| outcome.name() == name && !outcome.is_success())
        };
        for (name, count) in totals.outcomes.iter().filter(|(name, _)| is_failure(name)) {
            *self.kinds.entry(name.clone()).or_default() += count;
        }
        for row in result.failures.iter().filter(|row| row.count > 0) {
            *self.messages.entry(row.message.clone()).or_default() += row.count;
        }
    }

    /// A summary sentence: `12 of 340 transactions failed (3.53 %): timeout 10, check 2; most often: …`.
    pub fn sentence(&self) -> String {
        let all = counted(self.transactions, "transaction");
        if self.failed == 0 {
            return format!("none of {all} failed");
        }
        let share = short(self.failed as f64 / self.transactions as f64 * 100.0);
        let kinds: Vec<String> =
            self.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let message = self.messages.iter().max_by_key(|(_, count)| **count);
        let message =
            message.map_or_else(String::new, |(message, _)| format!("; most often: {message}"));
        format!("{} of {all} failed ({share} %): {}{message}", self.failed, kinds.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::FailureRow;

    #[test]
    fn counts_and_kinds() {
        let mut failures = Failures::default();
        let mut result = RunResult::default();
        result.totals.completed = 97;
        result.totals.failed = 3;
        result.totals.outcomes = [("ok", 90), ("retried", 7), ("timeout", 2), ("check", 1)]
            .map(|(k, n)| (k.into(), n))
            .into();
        let row = |message: &str, count| FailureRow {
            message: message.into(),
            count,
            ..FailureRow::default()
        };
        result.failures = vec![row("no answer", 2), row("it is 404", 1)];
        assert_eq!(Failures::default().sentence(), "none of 0 transactions failed");
        failures.add(&result);
        failures.add(&result);
        let expected =
            "6 of 200 transactions failed (3 %): check 2, timeout 4; most often: no answer";
        assert_eq!(failures.sentence(), expected);
    }
}
