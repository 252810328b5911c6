//! What commands do with a database before it is served.

pub(crate) mod collections;
pub(crate) mod copy;
pub(crate) mod indexes;
pub(crate) mod load;
pub(crate) mod migrate;
pub(crate) mod sample_copy;
pub(crate) mod tenants;
