//! Purchase orders and their lines: searches, filters and sorts in CQL over collections and lists that join them, and
//! cycles that create, update, read and delete a document.
//!
//! The lists are those of the published report on an orders storage, and the same over two to four fields; [`Orders`] is
//! the workload. Any service with the collections' paths can be measured, by the URL that they are below.

mod cycle;
mod discover;
mod entry;
mod facts;
mod list;
mod prepare;
mod queries;
mod session;
mod workload;

pub use entry::Entry;
pub use facts::{Facts, PRESETS};
pub use queries::{PUBLISHED, QUERIES, Query};
pub use workload::Orders;
