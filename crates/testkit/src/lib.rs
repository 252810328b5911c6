//! What tests need and the product must not have: throwaway databases, golden cases, a small
//! HTTP client and a way to run the `duet` binary.
//!
//! Everything here panics with a message that says what went wrong, because that is what a test
//! wants; nothing waits for a fixed time or uses a fixed port; whatever is started goes away with
//! the process that started it, however that process ends.

pub mod command;
pub mod golden;
pub mod http;
pub mod jwt;
pub mod pgbouncer;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub mod power;
pub mod sqlite;
pub mod tls;

/// A throwaway PostgreSQL server.
pub use duet_throwaway as postgres;
