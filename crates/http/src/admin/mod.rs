//! Paths of operators: health, metrics, reloads, journals, rowstore and tenants.

pub(crate) mod endpoints;
pub(crate) mod journal;
pub(crate) mod reload;
pub(crate) mod rowstore;
pub(crate) mod tenant_api;
pub(crate) mod tenant_watch;
