//! What the rows of answers may take while they arrive, and afterwards.

pub mod arriving;
pub mod row_limit;
