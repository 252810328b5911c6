//! Retail: sales of stores, web and catalogue with their dimensions, for analytical queries. Names
//! follow TPC-DS; rows, schema and generator are our own, and nothing compares with TPC results.

mod data;
mod dimensions;
mod facts;
mod schema;

pub use data::{Sizes, data_set};
pub use schema::METADATA;
