//! The report on the MemOptimized Rowstore: 100,000 reads by key, from tables that are kept in different
//! ways, by paths with and without a network.
//!
//! Its method, step by step: [`crate::lookup::serve_once`]. Five processes per variant; the fastest and
//! the slowest are left out, and the other three averaged.

mod claims;
mod how;
mod measure;
mod page;
mod paths;
mod published;
mod ratio;

pub use how::how;
pub use measure::{Measured, Series, Size, Variant, line, measure};
pub use page::{How, page};
pub use paths::{PATHS, Path, Quick, Side};
