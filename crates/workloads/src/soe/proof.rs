//! Checks the invariants of order entry's data after a run.

use duet_bench::run::{Merged, Proof};
use duet_bench::targets::sql::PROOF;
use duet_bench::workload::Failed;
use duet_client::Connection;
use duet_verdict::result::Invariant;

use super::{Facts, RunCounts, DataCounts, after, before, new_orders};
use crate::blocking;

/// Compares the data with the counted work of runs.
pub(super) struct OrderProof {
    facts: Facts,
    before: Option<DataCounts>,
    made: RunCounts,
}

impl OrderProof {
    /// For runs with these facts.
    pub(super) fn new(facts: Facts) -> Self {
        Self { facts, before: None, made: RunCounts::default() }
    }

    fn connected<T>(
        &self,
        ask: impl AsyncFnOnce(&mut Connection) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let target = self.facts.database.target()?;
        let asked = blocking(async {
            let mut connection = Connection::open(&target, PROOF).await?;
            ask(&mut connection).await
        });
        asked.map_err(|error| Failed::check(error.to_string()))?
    }
}

impl Proof for OrderProof {
    fn before(&mut self) -> Result<(), Failed> {
        // A series has many runs with one proof; each is compared with its own counts.
        self.made = RunCounts::default();
        self.before = Some(self.connected(before)?);
        Ok(())
    }

    fn second(&mut self, merged: &Merged) {
        self.made.add(merged);
    }

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        let Some(before) = &self.before else { return Ok(Vec::new()) };
        if shared {
            return self.connected(async |connection| new_orders(connection, before).await);
        }
        self.connected(async |connection| after(connection, before, &self.made, &self.facts).await)
    }
}
