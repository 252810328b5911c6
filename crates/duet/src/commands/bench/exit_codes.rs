//! The exit codes of the bench, beside those of every command.

/// A limit was missed, or the result says nothing.
pub(super) const LIMIT_MISSED: u8 = 3;
/// The figures disagree with what they are compared with.
pub(super) const DISAGREES: u8 = 4;
