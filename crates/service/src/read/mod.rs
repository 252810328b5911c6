//! Reads: items, pages and streams, from a plan to the bytes of a document.

pub(crate) mod design;
mod design_rights;
pub(crate) mod draft;
mod explain;
pub(crate) mod graph;
pub(crate) mod items;
pub(crate) mod large_page;
mod live;
pub(crate) mod pages;
mod populate;
pub(crate) mod stream;
pub mod view_events;
