//! Paths of operators: health, metrics, reloads, journals, rowstore and tenants.

pub(crate) mod endpoints;
mod journal;
mod reload;
pub(crate) mod rowstore;
pub(crate) mod tenant_api;
pub(crate) mod tenant_watch;
