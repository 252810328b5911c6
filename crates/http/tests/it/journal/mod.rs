//! Rows that are acknowledged from the journal.

mod commit_classes;
mod full;
mod ids;
mod losses;
mod reads;
pub(crate) mod rows;
mod tries;
