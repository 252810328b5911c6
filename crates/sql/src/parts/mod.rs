//! Parts of statements that dialects are made of: what tables, indexes and tests of texts look like on each engine.

pub(crate) mod affixes;
pub(crate) mod calculations;
pub(crate) mod collection_types;
pub(crate) mod element_values;
pub(crate) mod fold;
pub(crate) mod index_statement;
pub(crate) mod joined;
pub(crate) mod journal_tables;
pub(crate) mod jsonpath;
pub(crate) mod key_table;
pub(crate) mod quotes;
pub(crate) mod row_functions;
pub(crate) mod spellings;
pub(crate) mod text_order;
pub(crate) mod totals;
pub(crate) mod trigrams;
pub(crate) mod webhook_tables;
