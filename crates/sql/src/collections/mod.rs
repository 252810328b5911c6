//! Statements about the tables of collections: their columns, indexes, statistics and totals.

pub(crate) mod statistics;
pub(crate) mod table;
pub(crate) mod total_count;
pub(crate) mod values;
