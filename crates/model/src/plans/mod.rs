//! Plans: what a request reads and writes, as data.

pub mod key;
pub mod plan;
pub mod row_tree;
pub mod write_plan;
