//! Built-in workloads for the engine of `duet-bench`. The engine does not depend on them: it runs
//! any [`WorkloadFacts`](duet_bench::workload::WorkloadFacts) and finds them by name in the [`registry`].
//!
//! A workload is a folder with an entry for the registry, a [`BuiltIn`](built_in::BuiltIn): [`soe`]
//! is order entry, [`retail`] analytical queries, [`lookup`] reads by key, [`txn`] payment
//! transactions, [`orders`] collections of orders, [`ingest`] rows acknowledged from a journal,
//! [`rest`] the engine's own workload on a REST resource. [`generate`] generates their data and loads them; it depends on
//! [`DataSource`](generate::DataSource) alone.
//!
//! ```
//! let (workload, run) = duet_workloads::registry::run("rest").expect("it is built in");
//! assert_eq!(run.name, "rest");
//! assert!(workload.data().is_none(), "it runs on the tables that a service has");
//! assert!(duet_workloads::registry::data("soe").is_some(), "order entry loads data of its own");
//! ```

pub mod built_in;
pub mod flag;
pub mod generate;
mod http_client;
pub mod journal;
pub mod registry;
mod served_database;

/// The built-in workloads: each is a folder with an `Entry`, and a line here.
macro_rules! workloads {
    ($($workload:ident),*) => {
        $(pub mod $workload;)*

        /// The workloads of this crate.
        static BUILT_IN: &[&dyn built_in::BuiltIn] = &[$(&$workload::Entry),*];
    };
}

workloads![rest, soe, retail, lookup, txn, ingest, orders];

use duet_model::{Error, Result};

/// Runs a future on the calling thread.
fn blocking<T>(future: impl Future<Output = T>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(Error::internal)?.block_on(future))
}
