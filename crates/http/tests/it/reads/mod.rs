//! Reading: items, pages, streams, and the forms that they have.

pub(crate) mod autorest;
pub(crate) mod compression;
pub(crate) mod conditional;
pub(crate) mod expand;
pub(crate) mod forms;
pub(crate) mod groups;
pub(crate) mod ids;
pub(crate) mod member_names;
pub(crate) mod mounts;
pub(crate) mod paging;
pub(crate) mod problems;
pub(crate) mod rmb;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod streams;
