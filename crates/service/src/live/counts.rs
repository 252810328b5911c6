//! What following queries has taken, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:literal;)+) => {
        /// What following the queries of an application has taken so far.
        #[derive(Debug, Default)]
        pub struct LiveCounts {
            $($(#[doc = $doc])+ pub $name: Count,)+
        }

        impl LiveCounts {
            /// All of them: name, `counter` or `gauge`, what it is, and value.
            pub fn all(&self) -> Vec<(&'static str, &'static str, &'static str, u64)> {
                vec![$((
                    concat!("duet_live_", stringify!($name)), $kind, concat!($($doc),+).trim(), self.$name.get(),
                ),)+]
            }
        }
    };
}

counts! {
    /// Subscriptions that are open.
    subscriptions: "gauge";
    /// Queries that are followed, each for all its subscribers.
    queries: "gauge";
    /// Documents that these queries select now.
    members: "gauge";
    /// Bytes of events that are kept for slow and returning subscribers.
    log_bytes: "gauge";
    /// Subscriptions that were opened.
    opened_total: "counter";
    /// Subscriptions that went on where they had been.
    resumed_total: "counter";
    /// Subscriptions that had been away for too long, and got the state anew.
    reset_total: "counter";
    /// Subscriptions that were ended because they were slow.
    slow_total: "counter";
    /// Events of queries: documents that entered, changed or left.
    events_total: "counter";
    /// Changed documents that were read.
    documents_total: "counter";
    /// Comparisons of a changed document with a query.
    comparisons_total: "counter";
    /// Queries that were asked of the database for changed documents.
    asked_total: "counter";
    /// Queries that were read again as a whole.
    rereads_total: "counter";
}

/// A number that threads count.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts so many more.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Counts so many fewer.
    pub(crate) fn sub(&self, fewer: u64) {
        self.0.fetch_sub(fewer, Ordering::Relaxed);
    }
}
