//! The SQL text around a column or an operand that brings it into a form.

/// What stands before and after a value, as in `upper(` … `)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affixes {
    /// The text before the value.
    pub before: &'static str,
    /// The text after the value.
    pub after: &'static str,
}

impl Affixes {
    /// For a value as it is.
    pub const NONE: Self = Self::new("", "");

    /// The texts before and after a value.
    pub const fn new(before: &'static str, after: &'static str) -> Self {
        Self { before, after }
    }
}
