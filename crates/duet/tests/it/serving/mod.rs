//! `duet serve` from its start to its end: applications, settings, clients and trouble.

mod applications;
mod causes;
mod console;
mod console_access;
pub(crate) mod console_api;
pub(crate) mod console_changes;
mod console_design;
mod console_files;
mod console_issuer;
mod console_large;
mod console_manage;
mod console_measure;
mod console_operate;
mod console_read_only;
mod console_server;
mod console_tour;
mod console_trouble;
mod hostile_matrix;
mod issuer;
mod least_privilege;
#[cfg(target_os = "linux")]
mod memory;
mod names;
mod reload;
mod serve;
