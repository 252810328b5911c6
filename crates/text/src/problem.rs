//! Building blocks of error messages.

use std::fmt;

use super::error::Place;
use super::error::{Code, Error};
use super::printable::is_unprintable;

/// The maximum number of characters of request text in an error message.
pub const ECHO: usize = 64;

/// An error at a byte position of the filter.
pub fn fault(code: Code, at: usize, message: impl Into<String>) -> Error {
    Error::new(code, message).at(Place::Offset(at))
}

/// Request text for a message: in backquotes, truncated to [`ECHO`] characters, with control and
/// bidirectional characters escaped.
pub fn quoted(text: &str) -> String {
    QuotedText(text).to_string()
}

/// Displays like [`quoted`], but formats lazily, only if the error is shown.
#[derive(Clone, Copy, Debug)]
pub struct QuotedText<'t>(pub &'t str);

impl fmt::Display for QuotedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars();
        let mut shown: String = chars
            .by_ref()
            .take(ECHO)
            .map(|char| if is_unprintable(char) { char::REPLACEMENT_CHARACTER } else { char })
            .collect();
        if chars.next().is_some() {
            shown.pop();
            shown.push('…');
        }
        write!(f, "`{shown}`")
    }
}

/// The sentence that suggests a name.
pub fn did_you_mean(name: &str) -> String {
    format!("Did you mean {}?", quoted(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_printable() {
        assert_eq!(quoted("a\nb\u{202e}"), "`a\u{fffd}b\u{fffd}`");
        assert_eq!(quoted(&"é".repeat(64)).chars().count(), 66);
        assert_eq!(quoted(&"é".repeat(9_999)).chars().count(), 66);
        assert!(quoted(&"x".repeat(65)).ends_with("x…`"));
    }
}
