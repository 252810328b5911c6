//! The workload: users of one resource.

use std::sync::Arc;

use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::{CheckCounts, Counts, Failed, TransactionType, Local, Session, Workload};
use duet_verdict::result::{CheckRow, RunResult};

use super::conclude::conclude;
use super::facts::Facts;
use super::session::{CHECKS, UserSession};

/// The workload.
#[derive(Debug)]
pub struct Transactions {
    facts: Arc<Facts>,
    url: Url,
    kinds: Vec<TransactionType>,
    checks: Arc<CheckCounts>,
}

impl Transactions {
    /// Of these facts.
    ///
    /// # Errors
    /// Where the URL is none.
    pub fn new(facts: Facts) -> Result<Self, String> {
        let mut kinds = Facts::plain_kinds();
        kinds.iter_mut().zip(facts.weights).for_each(|(kind, weight)| kind.weight = weight);
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Ok(Self { url: facts.url.parse()?, facts: Arc::new(facts), kinds, checks })
    }
}

impl Workload for Transactions {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        let is_blocking = self.facts.database.as_ref().is_some_and(DatabaseAddress::is_blocking);
        self.facts.needs_database() && is_blocking
    }

    fn counts(&self) -> Counts {
        Counts { commits: false, changes: false }
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn conclude(&self, result: &mut RunResult) {
        conclude(self.facts.batch_rows, result);
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let (facts, checks) = (self.facts.clone(), self.checks.clone());
            let session = UserSession::open(facts, &self.url, checks, user);
            Ok(Box::new(session.await?) as Box<dyn Session>)
        })
    }
}
