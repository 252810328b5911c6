//! Rows that are acknowledged from the journal.

pub(crate) mod commit_classes;
pub(crate) mod full;
pub(crate) mod ids;
pub(crate) mod losses;
pub(crate) mod reads;
pub(crate) mod rows;
