//! Collections: documents, their indexes and totals, and searches over them.

pub(crate) mod cql_conformance;
pub(crate) mod cql_trial;
pub(crate) mod documents;
pub(crate) mod index_kinds;
pub(crate) mod indexes;
pub(crate) mod orders_sample;
pub(crate) mod pairs;
pub(crate) mod related_documents;
pub(crate) mod relevance;
pub(crate) mod totals;
