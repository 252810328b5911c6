//! Built-in workloads on the engine of `duet-bench`, which does not know them: it runs what implements
//! [`Configured`](duet_bench::workload::Configured) and finds it by its name in [`registry`].
//!
//! A workload is a folder with an entry for the registry: [`soe`] is order entry, [`retail`] analytical queries,
//! [`lookup`] reads by key. [`generate`] makes their data and loads them; it knows only
//! [`Source`](generate::Source).

pub mod built_in;
pub mod generate;
pub mod lookup;
pub mod registry;
pub mod retail;
pub mod soe;
