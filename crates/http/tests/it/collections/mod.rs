//! Collections: documents, their indexes and totals, and searches over them.

mod cql_conformance;
mod cql_trial;
mod documents;
mod facets;
mod index_kinds;
mod indexes;
mod list_writes;
mod loads;
mod orders_sample;
mod pairs;
mod related_documents;
mod relevance;
mod rmb_trial;
mod totals;
