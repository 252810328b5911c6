//! The path of a request, top to bottom: `handle` shows it.

mod answered;
mod compression;
pub(crate) mod handle;
mod planned;
