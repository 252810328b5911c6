//! The path of a request, top to bottom: `handle` shows it.

pub(crate) mod answered;
pub(crate) mod compression;
pub(crate) mod handle;
pub(crate) mod planned;
