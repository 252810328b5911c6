//! Collections of documents: their tables, and the values in a stored document that requests may name.

pub mod collection;
pub(crate) mod document;
pub(crate) mod document_field;
pub(crate) mod joined;
pub mod search_rules;
