//! The built-in applications, by the requests that they were made for.

mod compat;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) mod folio;
mod k6;
mod notes;
mod orders;
mod orders_data;
mod orders_rmb;
mod transactions;
