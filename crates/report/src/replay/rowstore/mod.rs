//! The report on the MemOptimized Rowstore: 100,000 reads by key, from tables that are kept in different
//! ways, by paths with and without a network.
//!
//! Its method: a process connects, reads all keys in their order, and tells how long that took. Five processes per variant; the fastest and
//! the slowest are left out, and the other three averaged.

mod claims;
mod measured;
mod page;
mod paths;
mod published;
mod ratio;

pub use measured::{Measured, Series, Size};
pub use page::{Environment, page};
pub use paths::{PATHS, Path, Quick, Side};
