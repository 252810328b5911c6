//! The workload: users of a service with orders.

use std::sync::Arc;

use duet_bench::workload::{CheckCounts, Counts, Failed, TransactionType, Local, Session, Workload};
use duet_verdict::result::CheckRow;

use super::facts::Facts;
use super::session::{CHECKS, UserSession};

/// The workload.
#[derive(Debug)]
pub struct Orders {
    facts: Arc<Facts>,
    kinds: Vec<TransactionType>,
    checks: Arc<CheckCounts>,
    /// The types with a weight, if users run them one after the other.
    in_order: Vec<usize>,
}

impl Orders {
    /// Of these facts.
    pub fn new(facts: Facts) -> Self {
        let mut kinds = Facts::plain_kinds();
        kinds.iter_mut().zip(&facts.weights).for_each(|(kind, weight)| kind.weight = *weight);
        let is_on = |at: &usize| facts.in_order && kinds[*at].weight > 0.0;
        let in_order = (0..kinds.len()).filter(is_on).collect();
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Self { facts: Arc::new(facts), kinds, checks, in_order }
    }
}

impl Workload for Orders {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn draw(&self, _user: u32, n: u64) -> Option<usize> {
        let count = self.in_order.len() as u64;
        self.in_order.get(usize::try_from(n.checked_rem(count)?).ok()?).copied()
    }

    fn counts(&self) -> Counts {
        Counts { commits: false, changes: false }
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let session = UserSession::open(self.facts.clone(), self.checks.clone(), user);
            Ok(Box::new(session.await?) as Box<dyn Session>)
        })
    }
}
