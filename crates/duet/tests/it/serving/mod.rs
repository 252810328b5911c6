//! `duet serve` from its start to its end: applications, settings, clients and trouble.

pub(crate) mod applications;
pub(crate) mod causes;
pub(crate) mod console;
pub(crate) mod hostile_matrix;
pub(crate) mod issuer;
pub(crate) mod least_privilege;
#[cfg(target_os = "linux")]
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod reload;
pub(crate) mod serve;
