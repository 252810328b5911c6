//! The built-in applications, by the requests that they were made for.

pub(crate) mod compat;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) mod folio;
pub(crate) mod k6;
pub(crate) mod orders;
pub(crate) mod orders_data;
pub(crate) mod orders_rmb;
pub(crate) mod transactions;
