//! What tests need and the product must not have: throwaway databases, golden cases, a small
//! HTTP client and a way to run the `duet` binary.
//!
//! Everything here panics with a message that describes the error, as a test
//! needs; nothing waits for a fixed time or uses a fixed port; everything that is started ends with
//! the process that started it, however that process ends.
//!
//! ```
//! let folder = duet_testkit::sqlite::Folder::new();
//! let file = folder.load("shop.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)"]);
//! let database = duet_testkit::sqlite::open(&file);
//! assert_eq!(database.execute("INSERT INTO item VALUES (1, 'kayak')", [])?, 1);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub mod browser;
pub mod citus;
pub mod command;
mod followed;
pub mod golden;
pub mod http;
pub mod jwt;
pub mod pgbouncer;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub mod power;
pub mod receiver;
pub mod served_issuer;
pub mod sqlite;
pub mod tls;

use std::fs::OpenOptions;
use std::io::Write as _;

/// A throwaway PostgreSQL server.
pub use duet_throwaway as postgres;

/// Whether long runs are wanted, by `./test --long` (`DUET_LONG=1`): every example of what a usual run has some of.
pub fn is_long() -> bool {
    std::env::var_os("DUET_LONG").is_some_and(|value| value == "1")
}

/// Says that a test leaves something out, and why: on standard error, and in the file that the variable
/// `DUET_SKIPPED` names, which `./test` lists.
///
/// # Panics
/// If that file cannot be written.
pub fn skipped(test: &str, why: &str) {
    let line = format!("{test}: {}\n", why.trim_end().replace('\n', " "));
    // Not by a macro, whose output the test harness keeps for itself.
    let _ = write!(std::io::stderr(), "skipped: {line}");
    let Some(path) = std::env::var_os("DUET_SKIPPED") else { return };
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("the list of skipped tests: {error}"));
}
