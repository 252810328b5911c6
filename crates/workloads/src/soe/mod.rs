//! Order entry: customers browse products and order them from warehouses. [`data_set`] creates the
//! data, [`Soe`] is the workload, [`before`] and [`after`] check the data's invariants.

mod built_in;
mod checks;
mod clock;
mod data;
mod db;
mod dialect;
mod discover;
mod embedded;
mod entry;
mod facts;
mod invariants;
mod people;
mod prepare;
mod proof;
mod resources;
mod rest;
mod schema;
mod server;
mod service_client;
mod transactions;
mod workload;

pub use data::{CATEGORIES, Sizes, data_set};
pub use discover::{SoeOptions, discover, renew};
pub use entry::{Entry, UNTIL};
pub use facts::{Facts, KINDS, PRESETS, RestService, Side, Soe};
pub use invariants::{RunCounts, DataCounts, after, before, new_orders};
pub use people::People;
pub use schema::METADATA;
pub use server::prepare_functions;
