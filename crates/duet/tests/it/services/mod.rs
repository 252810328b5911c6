//! Services of an application's folder.

pub(crate) mod assigned;
pub(crate) mod batch;
pub(crate) mod cases;
pub(crate) mod idempotency;
pub(crate) mod trials;
