//! Retail: sales of stores, web and catalogue with their dimensions, for analytical queries. Names
//! follow TPC-DS; rows, schema, generator and queries are our own, and results are not comparable
//! with TPC results.
//!
//! [`data_set`] creates the tables. [`Retail`] is the workload: 18 queries in three [modes](Mode),
//! and a fourth mode of small writes.

mod answer;
mod built_in;
mod checks;
mod client;
mod data;
mod dimensions;
mod discover;
mod distributions;
mod entry;
mod facts;
mod prepare;
mod queries;
mod sales;
mod schema;
mod workload;

pub use answer::answer_of;
pub use client::Client;
pub use data::data_set;
pub use discover::{Discovery, discover};
pub use distributions::Sizes;
pub use entry::Entry;
pub use queries::{Class, Domain, QUERIES, Query};
pub use schema::METADATA;
pub use workload::{Facts, Mode, Retail, SALES};

/// The label of every result.
pub const LABEL: &str = "ds-like, not TPC-DS, not comparable with published TPC results";
