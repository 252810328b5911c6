//! Introspection: reads a database's description of itself into a [`duet_model::Catalog`].
//!
//! One consistent snapshot per call, nothing cached, nothing changed. What cannot be used (a
//! broken view, a table without the privilege to read it) becomes a note, never a failure.

pub mod effects;
pub mod totals;

use duet_model::{Code, Error};

/// The error where the schema could not be read in time.
pub fn too_slow(cause: impl std::fmt::Display) -> Error {
    let message = "Reading the schema of the database took longer than `schema_timeout` allows.";
    let hint =
        "See what the database waits for, such as a lock or a disk; or raise `schema_timeout`.";
    Error::new(Code::Timeout, message).hint(hint).cause(cause)
}

/// How many names a note lists before it only counts.
const NAMES_IN_NOTE: usize = 10;

/// `a, b, c and 7 more`.
pub fn listed(names: &[String]) -> String {
    let (shown, rest) = names.split_at(names.len().min(NAMES_IN_NOTE));
    match rest.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A condition without the parentheses that enclose the whole of it.
pub fn unwrapped(condition: &str) -> &str {
    let condition = condition.trim();
    match condition.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if is_balanced(inner) => unwrapped(inner),
        _ => condition,
    }
}

/// Whether the parentheses outside of quotes are balanced.
fn is_balanced(text: &str) -> bool {
    let (mut depth, mut quote) = (0_i32, None);
    for byte in text.bytes() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_parentheses_go() {
        assert_eq!(unwrapped("((a > 0))"), "a > 0");
        assert_eq!(unwrapped("((a > 0) AND (b > 0))"), "(a > 0) AND (b > 0)");
        assert_eq!(unwrapped("(a > 0) AND (b > 0)"), "(a > 0) AND (b > 0)");
        assert_eq!(unwrapped("(a <> ')(')"), "a <> ')('");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<_> = (0..12).map(|n| n.to_string()).collect();
        assert_eq!(listed(&names), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
        assert_eq!(listed(&names[..2]), "0, 1");
    }
}
