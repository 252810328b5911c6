//! Four tables of keys and values, each kept in another way: what a read by key costs.

mod data;
mod schema;

pub use data::data_set;
pub use schema::METADATA;
