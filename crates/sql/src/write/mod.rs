//! Statements that lock, write and load rows.

pub(crate) mod bulk;
pub(crate) mod insert;
pub(crate) mod lists;
pub(crate) mod lock;
pub(crate) mod returned_lists;
pub(crate) mod rows;
pub(crate) mod selected;
pub(crate) mod update;
