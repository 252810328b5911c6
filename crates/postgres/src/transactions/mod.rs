//! Writes: their transactions, alone or shared with other documents, and inserts that share a statement.

pub(crate) mod group;
pub(crate) mod group_member;
pub(crate) mod group_rows;
pub(crate) mod insert;
pub(crate) mod lists;
pub(crate) mod matched;
pub(crate) mod session;
pub(crate) mod terms;
pub(crate) mod write;
