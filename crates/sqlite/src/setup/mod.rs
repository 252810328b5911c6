//! What commands do with a file before it is served.

pub(crate) mod copy;
pub(crate) mod indexes;
pub(crate) mod load;
pub(crate) mod migrate;
pub(crate) mod own_tables;
pub(crate) mod sample_copy;
