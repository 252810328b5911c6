//! `duet serve --instances`: several processes that serve together.

pub(crate) mod processes;
pub(crate) mod writes;
