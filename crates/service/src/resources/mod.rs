//! Resources: what is served, with the plans and rules that are compiled once for all requests.

pub mod checks;
pub(crate) mod collection_shape;
pub(crate) mod expandable;
mod inserts;
pub(crate) mod json_rows;
pub(crate) mod key_ways;
pub mod placements;
pub(crate) mod raised;
pub(crate) mod related_documents;
pub(crate) mod representation;
pub(crate) mod resource;
pub(crate) mod routine;
pub(crate) mod row_rules;
pub(crate) mod service_resource;
pub(crate) mod updates;
pub(crate) mod violation;
pub(crate) mod writable;
