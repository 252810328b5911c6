//! The built-in applications: `build.rs` lists every file below `apps/`.

use super::folder::{BuiltInFile, Stored};

/// An application's name and its files.
pub(crate) type BuiltIn = (&'static str, &'static [BuiltInFile]);

/// All of them, sorted by name.
pub(crate) fn built_in() -> &'static [BuiltIn] {
    include!(concat!(env!("OUT_DIR"), "/built_in.rs"))
}
