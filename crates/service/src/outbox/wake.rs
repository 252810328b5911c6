//! What wakes the sender: commits of this process that change a watched table. It costs no statement.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use duet_model::commit::{Cause, CommitConsumer, CommitEvent};
use tokio::sync::Notify;

use super::report::{EndpointReport, WebhookReport};

/// The part of the sender that other threads see.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Somebody has committed.
    pub(crate) wanted: Notify,
    /// The tables that are watched.
    watched: RwLock<HashSet<(String, String)>>,
    report: Mutex<WebhookReport>,
    counts: Mutex<BTreeMap<String, Counts>>,
}

/// What this process has sent to an endpoint.
#[derive(Clone, Debug, Default)]
struct Counts {
    accepted: u64,
    failed: u64,
    last_failure: Option<String>,
}

impl Outbox {
    /// The state of all endpoints.
    pub fn report(&self) -> WebhookReport {
        let mut report = locked(&self.report).clone();
        let counts = locked(&self.counts);
        for endpoint in &mut report.endpoints {
            if let Some(counts) = counts.get(&endpoint.name) {
                let Counts { accepted, failed, last_failure } = counts.clone();
                *endpoint = EndpointReport { accepted, failed, last_failure, ..endpoint.clone() };
            }
        }
        report
    }

    /// Has the sender look now.
    pub fn wake(&self) {
        self.wanted.notify_one();
    }

    pub(crate) fn set_report(&self, report: WebhookReport) {
        *locked(&self.report) = report;
    }

    pub(crate) fn watch(&self, tables: HashSet<(String, String)>) {
        *self.watched.write().unwrap_or_else(PoisonError::into_inner) = tables;
    }

    pub(crate) fn accepted(&self, endpoint: &str) {
        locked(&self.counts).entry(endpoint.to_owned()).or_default().accepted += 1;
    }

    pub(crate) fn failed(&self, endpoint: &str, why: String) {
        let mut counts = locked(&self.counts);
        let counts = counts.entry(endpoint.to_owned()).or_default();
        counts.failed += 1;
        counts.last_failure = Some(why);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CommitConsumer for Outbox {
    /// Triggers have named the rows.
    fn needs_rows(&self) -> bool {
        false
    }

    fn committed(&self, event: &CommitEvent<'_>) {
        let watched = self.watched.read().unwrap_or_else(PoisonError::into_inner);
        let is_watched = |schema: &str, name: &str| {
            watched.iter().any(|(known, table)| known == schema && table == name)
        };
        let mut relations = event.relations.iter().map(|change| &change.relation);
        // A change of the schema may have taken triggers away.
        if event.everything
            || event.cause == Cause::Schema
            || relations.any(|relation| is_watched(relation.schema(), relation.name()))
        {
            self.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::catalog::RelationName;
    use duet_model::commit::{ChangedRelation, Extent, RelationChange};
    use futures_util::FutureExt as _;

    use super::*;

    fn wakes(outbox: &Outbox, event: &CommitEvent<'_>) -> bool {
        outbox.committed(event);
        outbox.wanted.notified().now_or_never().is_some()
    }

    /// A commit of other tables costs no look at the outbox.
    #[test]
    fn only_commits_of_watched_tables_wake_the_sender() {
        let outbox = Outbox::default();
        assert!(!outbox.needs_rows());
        outbox.watch(HashSet::from([("s".to_owned(), "orders".to_owned())]));
        let change = |name: &str| {
            let name = RelationName { schema: "s".to_owned(), name: name.to_owned() };
            let relation = ChangedRelation::Named(Arc::new(name));
            vec![RelationChange { relation, count: 1, extent: Extent::Counted }]
        };
        let (orders, quiet) = (change("orders"), change("quiet"));
        let event = |relations| CommitEvent { cause: Cause::Commit, everything: false, relations };
        assert!(!wakes(&outbox, &event(&quiet)));
        assert!(wakes(&outbox, &event(&orders)));
        let everything = CommitEvent { everything: true, ..event(&[]) };
        assert!(wakes(&outbox, &everything));
        assert!(wakes(&outbox, &CommitEvent { cause: Cause::Schema, ..event(&[]) }));
    }

    #[test]
    fn reports_have_what_this_process_has_sent() {
        let outbox = Outbox::default();
        let endpoint = EndpointReport { name: "erp".into(), waiting: 3, ..Default::default() };
        outbox.set_report(WebhookReport { endpoints: vec![endpoint], ..Default::default() });
        outbox.accepted("erp");
        outbox.failed("erp", "status 500".into());
        outbox.accepted("gone");
        let report = outbox.report();
        let erp = &report.endpoints[0];
        assert_eq!((erp.waiting, erp.accepted, erp.failed), (3, 1, 1));
        assert_eq!(erp.last_failure.as_deref(), Some("status 500"));
        assert_eq!(report.endpoints.len(), 1);
    }
}
