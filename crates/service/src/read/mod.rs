//! Reads: items, pages and streams, from a plan to the bytes of a document.

pub(crate) mod explain;
pub(crate) mod items;
pub(crate) mod large_page;
pub(crate) mod pages;
pub(crate) mod populate;
pub(crate) mod stream;
