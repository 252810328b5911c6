//! Reads: by key in batches, pages, and streams.

pub(crate) mod batch;
pub(crate) mod keyed;
pub(crate) mod pages;
pub(crate) mod readers;
pub(crate) mod shared_page;
pub(crate) mod standby_readers;
pub(crate) mod stream;
