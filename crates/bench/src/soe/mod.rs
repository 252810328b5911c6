//! Order entry: customers who browse products and order them from warehouses.

mod data;
mod schema;

pub use data::{CATEGORIES, Sizes, data_set};
pub use schema::METADATA;
