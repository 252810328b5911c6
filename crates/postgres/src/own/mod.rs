//! Tables that Duet itself has in a database, in the schema `duet`.

pub(crate) mod announce;
pub(crate) mod rights;
pub(crate) mod state;
pub(crate) mod tables;
