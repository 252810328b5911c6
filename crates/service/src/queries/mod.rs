//! What a request says, as plans: parameters, pages, filters, expanded rows and groups.

pub(crate) mod expand;
mod groups;
pub(crate) mod marker;
pub(crate) mod page;
mod projection;
pub mod query;
pub(crate) mod selection;
