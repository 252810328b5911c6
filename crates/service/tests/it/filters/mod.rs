//! Filters, orders and searches: both stores select and order what they mean.

mod cql;
mod flex_property;
mod fold;
mod json_paths;
mod lexemes;
mod meaning;
mod prefixes;
mod regex;
mod spellings;
mod text_order;
mod text_search;
mod unindexed;
