//! Statements that read the levels of a plan.

pub(crate) mod aggregated;
mod groups;
pub(crate) mod levels;
pub(crate) mod order;
pub(crate) mod order_index;
pub(crate) mod shared_page;
