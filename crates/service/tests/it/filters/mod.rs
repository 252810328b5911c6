//! Filters, orders and searches: both stores select and order what they mean.

pub(crate) mod cql;
pub(crate) mod flex_property;
pub(crate) mod fold;
pub(crate) mod json_paths;
pub(crate) mod lexemes;
pub(crate) mod meaning;
pub(crate) mod prefixes;
pub(crate) mod regex;
pub(crate) mod spellings;
pub(crate) mod text_order;
pub(crate) mod text_search;
pub(crate) mod unindexed;
