//! `duet serve --instances`: several processes that serve together.

pub(crate) mod processes;
mod writes;
