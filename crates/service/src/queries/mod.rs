//! What a request says, as plans: parameters, pages, filters, expanded rows and groups.

pub(crate) mod expand;
pub(crate) mod facets;
mod groups;
pub(crate) mod marker;
pub(crate) mod page;
mod projection;
pub mod query;
pub(crate) mod selection;
