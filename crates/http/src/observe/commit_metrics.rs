//! Counters of the commits of an application's store: a consumer of its commit events that needs no rows.
//!
//! A relation counts as a whole if it has no primary or unique key, is emptied by a bulk load or loaded without keys, is
//! reached by a cascading foreign key, or has more than 500 changed rows; everything counts after a routine, a trigger, a
//! rule, or a write to a view of the database. Foreign commits are seen on SQLite alone, while items are in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_model::commit::{Cause, CommitConsumer, CommitEvent, Extent};
use duet_service::Service;

use super::metrics::Metric;

/// What is counted of the commits of one application.
#[derive(Debug, Default)]
pub(crate) struct CommitMetrics {
    commits: AtomicU64,
    unknown: AtomicU64,
    foreign: AtomicU64,
    rows: AtomicU64,
    relations: AtomicU64,
    everything: AtomicU64,
}

impl CommitMetrics {
    /// Counts the commits of a service from now on.
    pub(crate) fn of(service: &Service) -> Arc<Self> {
        let metrics = Arc::new(Self::default());
        service.store().commits().subscribe(Arc::clone(&metrics) as _);
        metrics
    }

    /// The counters for `/metrics`.
    pub(crate) fn counted(&self) -> [Metric; 6] {
        let counter = |name, help, counter: &AtomicU64| {
            (name, "counter", help, counter.load(Ordering::Relaxed))
        };
        [
            counter("duet_commits_total", "Commits that changed rows.", &self.commits),
            counter(
                "duet_commits_unknown_total",
                "Commits whose outcome is not known.",
                &self.unknown,
            ),
            counter(
                "duet_commits_foreign_total",
                "Times that others were seen to have committed.",
                &self.foreign,
            ),
            counter("duet_commit_rows_total", "Changed rows known by their keys.", &self.rows),
            counter(
                "duet_commit_relations_total",
                "Relations of which a commit may have changed any row.",
                &self.relations,
            ),
            counter(
                "duet_commit_everything_total",
                "Commits that may have changed any row of any relation.",
                &self.everything,
            ),
        ]
    }
}

impl CommitConsumer for CommitMetrics {
    fn needs_rows(&self) -> bool {
        false
    }

    fn committed(&self, event: &CommitEvent<'_>) {
        let add = |counter: &AtomicU64, amount: u64| counter.fetch_add(amount, Ordering::Relaxed);
        match event.cause {
            Cause::Commit => add(&self.commits, 1),
            Cause::Unknown => add(&self.unknown, 1),
            Cause::Foreign => {
                add(&self.foreign, 1);
                return;
            }
            Cause::Settled | Cause::Schema => return,
        };
        if event.everything {
            add(&self.everything, 1);
        }
        for change in event.relations {
            match change.extent {
                Extent::Any => add(&self.relations, 1),
                Extent::Counted | Extent::Rows(_) => add(&self.rows, change.count),
            };
        }
    }
}
