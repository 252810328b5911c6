//! Escapes text of clients, databases and files for logs, terminals and messages.
//!
//! Control characters can forge log lines or control a terminal, and bidirectional characters change
//! the displayed order of a line. Both are escaped; all other characters are unchanged.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character must be escaped: C0, DEL, C1, line and paragraph separators, and
/// the marks, embeddings, overrides and isolates of bidirectional text.
#[must_use]
pub fn is_unprintable(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// The text on one line, with unprintable characters as `\n`, `\t`, `\r` or `\u{202e}`.
///
/// ```
/// use duet_text::printable::printable;
/// assert_eq!(printable("a\nb\u{202e}"), r"a\nb\u{202e}");
/// assert_eq!(printable("naïve 名前"), "naïve 名前");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_unprintable)
}

/// Like [`printable`], but keeps line feeds and tabs, for multi-line text.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |char| !matches!(char, '\n' | '\t') && is_unprintable(char))
}

/// A value in a log line: spaces, quotes and backslashes are escaped too, so that it cannot be confused
/// with other values.
#[must_use]
pub fn printable_word(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_unprintable(char) || matches!(char, ' ' | '"' | '\\'))
}

fn escaped(text: &str, wanted: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&wanted) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for char in text[first..].chars() {
        match char {
            char if !wanted(char) => out.push(char),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Writing to a String cannot fail.
            char => drop(write!(out, "\\u{{{:x}}}", u32::from(char))),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_unprintable_characters() {
        for (code, is) in [
            (0x00, true),
            (0x1b, true),
            (0x7f, true),
            (0x85, true),
            (0x9f, true),
            (0x61c, true),
            (0x200d, false),
            (0x200e, true),
            (0x2028, true),
            (0x202e, true),
            (0x202f, false),
            (0x2066, true),
            (0x2069, true),
            (0x206a, false),
            (0x20, false),
            (0xe9, false),
        ] {
            assert_eq!(is_unprintable(char::from_u32(code).unwrap()), is, "U+{code:04X}");
        }
        assert_eq!(printable_word("a b\"\\\u{9b}"), "a\\u{20}b\\\"\\\\\\u{9b}");
        assert_eq!(printable_lines("a\r\nb"), "a\\r\nb");
    }

    /// Random text with many special characters.
    fn texts() -> impl Strategy<Value = String> {
        let chars = prop_oneof![
            any::<char>(),
            proptest::char::range('\u{0}', '\u{9f}'),
            proptest::char::range('\u{2020}', '\u{2070}'),
        ];
        proptest::collection::vec(chars, 0..40).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn no_unprintable_character_remains(text in texts()) {
            prop_assert!(!printable(&text).contains(is_unprintable));
            prop_assert!(!printable_lines(&text).contains(|c| c != '\n' && c != '\t' && is_unprintable(c)));
            let word = printable_word(&text);
            prop_assert!(!word.contains(|c| c == ' ' || is_unprintable(c)));
            prop_assert!(!word.replace("\\\\", "").replace("\\\"", "").contains('"'));
        }

        #[test]
        fn printable_text_is_unchanged(text in "[a-zé名 .]{0,20}") {
            prop_assert_eq!(printable(&text), text.as_str());
        }

        /// Different words have different escaped forms.
        #[test]
        fn escaping_of_words_is_injective(a in texts(), b in texts()) {
            prop_assert_eq!(a == b, printable_word(&a) == printable_word(&b));
        }
    }
}
