//! Reads: by key in batches, pages, and streams.

pub(crate) mod batch;
pub(crate) mod keyed;
pub(crate) mod pages;
pub(crate) mod shared_page;
pub(crate) mod stream;
