//! What commands do with a database before it is served: what is declared, loaded, made and copied, as values.

pub mod collections;
pub mod copy;
pub mod indexes;
pub mod load;
pub mod migrate;
pub mod own_part;
pub mod sample_copy;
pub mod state;
pub mod tenants;
