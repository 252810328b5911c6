//! `LIKE` patterns: `%` matches any text, `_` any one character, and `\` escapes the next character.

/// Whether the pattern does not end with an incomplete escape.
pub fn is_complete(pattern: &str) -> bool {
    pattern.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
}

/// The pattern that matches exactly this text.
pub fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    for char in text.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

/// The simple lower-case mapping of the Unicode Character Database: one character to one.
pub fn lower(char: char) -> char {
    // If the full mapping has several characters, the first one is the simple mapping.
    char.to_lowercase().next().unwrap_or(char)
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Any text.
    Text,
    /// Any one character.
    One,
    /// This character.
    Char(char),
}

/// The parts of a pattern; a trailing `\` is literal.
///
/// ```
/// use duet_model::like::{Part, parts};
/// assert!(parts(r"\%_%").eq([Part::Char('%'), Part::One, Part::Text]));
/// ```
pub fn parts(pattern: &str) -> impl Iterator<Item = Part> {
    let mut chars = pattern.chars();
    std::iter::from_fn(move || {
        Some(match chars.next()? {
            '%' => Part::Text,
            '_' => Part::One,
            '\\' => Part::Char(chars.next().unwrap_or('\\')),
            char => Part::Char(char),
        })
    })
}

/// Whether the entire text matches; ignores case by applying [`lower`] to both sides. A trailing `\` in
/// the pattern is literal. The time is at most proportional to the product of the lengths.
pub fn matches(pattern: &str, text: &str, ignore_case: bool) -> bool {
    let fold = |char| if ignore_case { lower(char) } else { char };
    let folded = |part| match part {
        Part::Char(char) => Part::Char(fold(char)),
        other => other,
    };
    let steps: Vec<Part> = parts(pattern).map(folded).collect();
    let text: Vec<char> = text.chars().map(fold).collect();
    let (mut step, mut at) = (0, 0);
    // Where to resume if the match fails: after the last `%`, one character further in the text.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (steps.get(step), text.get(at)) {
            (None, None) => return true,
            (Some(Part::Text), _) => {
                retry = Some((step + 1, at));
                step += 1;
                continue;
            }
            (Some(Part::One), Some(_)) => {
                (step, at) = (step + 1, at + 1);
                continue;
            }
            (Some(Part::Char(wanted)), Some(char)) if wanted == char => {
                (step, at) = (step + 1, at + 1);
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = retry.filter(|(_, from)| *from < text.len()) else {
            return false;
        };
        retry = Some((after, from + 1));
        (step, at) = (after, from + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn matches_patterns() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("a%", "abc", true),
            ("a%", "ba", false),
            ("%c", "abc", true),
            ("a_c", "abc", true),
            ("a_c", "ac", false),
            ("_", "é", true),
            ("%ab%ab%", "aabab", true),
            ("%ab%ab%", "aabba", false),
            ("a\\%", "a%", true),
            ("a\\%", "ab", false),
            ("a\\\\", "a\\", true),
            ("\\_", "x", false),
            ("a%%b", "ab", true),
            ("A%", "abc", false),
        ] {
            assert_eq!(matches(pattern, text, false), expected, "{pattern} {text}");
        }
        assert!(matches("ÉCOLE%", "école normale", true));
        assert!(matches("i", "İ", true));
        assert!(!matches("ss", "ß", true));
    }

    #[test]
    fn a_trailing_backslash_is_literal() {
        for (pattern, expected) in [("", true), ("\\", false), ("a\\\\", true), ("\\\\\\", false)] {
            assert_eq!(is_complete(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_take_bounded_time() {
        assert!(!matches(&"%a".repeat(500), &"a".repeat(499), false));
        assert!(!matches(&format!("{}b", "%a".repeat(100)), &"a".repeat(5_000), false));
    }

    proptest! {
        #[test]
        fn escaped_text_matches_only_itself(a in "[ab%_\\\\\\\\é]{0,6}", b in "[ab%_\\\\\\\\é]{0,6}") {
            prop_assert!(is_complete(&escape(&a)));
            prop_assert_eq!(matches(&escape(&a), &b, false), a == b);
            prop_assert_eq!(matches(&(escape(&a) + "%"), &b, false), b.starts_with(&a));
        }
    }
}
