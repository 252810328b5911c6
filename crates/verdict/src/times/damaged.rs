//! Why a text is no histogram.

use std::fmt;

/// Why a text is not a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged(pub(crate) String);

impl Damaged {
    /// The reason.
    pub fn new(what: &dyn fmt::Display) -> Self {
        Self(what.to_string())
    }

    /// Adds the name of the file.
    pub(crate) fn of(self, name: &str) -> Self {
        Self(format!("{name}: {self}"))
    }

    pub(super) fn histogram(error: &dyn fmt::Display) -> Self {
        Self(format!("not a histogram: {error}"))
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Damaged {}
