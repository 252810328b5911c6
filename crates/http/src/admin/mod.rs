//! Paths of operators: health, metrics, reloads, journals, rowstore and tenants.

mod clients;
mod database;
pub(crate) mod endpoints;
mod journal;
mod log;
pub(crate) mod paths;
mod reload;
pub(crate) mod rowstore;
pub(crate) mod tenant_api;
pub(crate) mod tenant_watch;
