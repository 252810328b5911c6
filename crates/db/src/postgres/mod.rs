//! PostgreSQL: pipelined connections for batched reads by key, others for pages.

mod batch;
mod bind;
mod columns;
pub mod connect;
mod database;
mod handle;
mod lane;
mod pages;
mod run;
pub mod sqlstate;

pub use database::Database;
pub use handle::Handle;
