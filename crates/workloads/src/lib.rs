//! Built-in workloads on the engine of `duet-bench`, which does not know them: it runs what implements
//! [`Facts`](duet_bench::workload::Facts) and finds it by its name in [`registry`].
//!
//! A workload is a folder with an entry for the registry, a [`BuiltIn`](built_in::BuiltIn): [`soe`] is order entry,
//! [`retail`] analytical queries, [`lookup`] reads by key, [`rest`] the engine's own on a REST resource. [`generate`]
//! makes their data and loads them; it knows only [`Source`](generate::Source).

pub mod built_in;
pub mod flag;
pub mod generate;
pub mod lookup;
pub mod registry;
pub mod rest;
pub mod retail;
pub mod soe;

use duet_model::{Error, Result};

/// Waits for a future on the calling thread.
fn blocking<T>(future: impl Future<Output = T>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(Error::internal)?.block_on(future))
}
