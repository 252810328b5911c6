//! RMB's `schema.json` as data: its tables with their entries, the keys that are known, and what became of its lines.

pub(crate) mod keys;
pub(crate) mod line;
pub(crate) mod schema;
