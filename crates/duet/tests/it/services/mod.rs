//! Services of an application's folder.

mod assigned;
mod batch;
mod cases;
mod idempotency;
mod trials;
