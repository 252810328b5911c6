//! The forms in which SQLite may store a value: a UUID as text in any case or as 16 bytes; and the
//! range of all texts with a prefix.

use duet_model::catalog::PrefixOrder;
use duet_model::{Column, Type, Value};
use duet_text::like::{self, PatternPart};

/// The number of leading letters that are tried in both cases. For the rest, a range from upper case to
/// lower case contains every mixture, and only few other values: those equal up to the third letter.
const TRIED: usize = 2;

/// The ranges of the stored forms of a UUID, given in lower case with hyphens; none for other text.
pub(crate) fn of_uuid(uuid: &str) -> Vec<(Value, Value, Type)> {
    let Some(bytes) = bytes(uuid) else { return Vec::new() };
    let mut prefixes = vec![String::new()];
    let mut rest = uuid;
    for _ in 0..TRIED {
        let Some(at) = rest.find(|char: char| char.is_ascii_lowercase()) else { break };
        let (before, letter) = (&rest[..at], &rest[at..=at]);
        let with = |prefix: &String, letter: &str| format!("{prefix}{before}{letter}");
        prefixes = prefixes
            .iter()
            .flat_map(|prefix| [with(prefix, &letter.to_ascii_uppercase()), with(prefix, letter)])
            .collect();
        rest = &rest[at + 1..];
    }
    let upper = rest.to_ascii_uppercase();
    let text = |prefix: &String, rest: &str| Value::Text(format!("{prefix}{rest}"));
    let texts =
        prefixes.iter().map(|prefix| (text(prefix, &upper), text(prefix, rest), Type::Text));
    let stored = Value::Bytes(bytes);
    texts.chain([(stored.clone(), stored, Type::Binary)]).collect()
}

/// A range of a column's texts in which all that begin with a prefix lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixRange {
    /// At least; before.
    pub operators: [&'static str; 2],
    /// The collation after each bound, to compare in the order of an index.
    pub collation: &'static str,
    /// The first text of the range.
    pub low: String,
    /// The first text after the range; `None` if no text sorts after it.
    pub behind: Option<String>,
}

/// The common prefix of all texts that a `LIKE` pattern matches; may be empty.
pub fn literal_prefix(pattern: &str) -> String {
    let literal = |part| match part {
        PatternPart::Char(char) => Some(char),
        PatternPart::Text | PatternPart::One => None,
    };
    like::parts(pattern).map_while(literal).collect()
}

/// The range of texts with a prefix. Only for columns of TEXT affinity, which store numbers as text;
/// others compare numbers separately. A collation that ignores case folds letters to lower case.
pub(crate) fn of_prefix(column: &Column, prefix: &str) -> Option<PrefixRange> {
    let declared = column.declared.to_ascii_uppercase();
    let is_text = ["CHAR", "CLOB", "TEXT"].iter().any(|word| declared.contains(word));
    // Bytes that are not UTF-8 are read as the replacement character, but sort as they are.
    if !is_text || declared.contains("INT") || prefix.is_empty() || prefix.contains('\u{fffd}') {
        return None;
    }
    let lower = || prefix.to_ascii_lowercase();
    let behind = if column.loose_equality { lower() } else { prefix.to_owned() };
    let collation = "";
    let (low, behind) = (prefix.to_owned(), successor(&behind));
    Some(PrefixRange { operators: PLAIN, collation, low, behind })
}

/// The operators of a range in a column's own order.
const PLAIN: [&str; 2] = [" >= ", " < "];

/// The same by the order of an index of PostgreSQL, which finds a prefix only where it
/// plans again for each value. Only the characters that every encoding has in one order count.
pub(crate) fn of_prefix_in(order: PrefixOrder, prefix: &str) -> Option<PrefixRange> {
    let plain = |char: &char| matches!(char, ' '..='~');
    let low: String = prefix.chars().take_while(plain).collect();
    if low.is_empty() {
        return None;
    }
    let operators = if order == PrefixOrder::Pattern { [" ~>=~ ", " ~<~ "] } else { PLAIN };
    let collation = if order == PrefixOrder::C { " COLLATE \"C\"" } else { "" };
    let behind = successor(&low);
    Some(PrefixRange { operators, collation, low, behind })
}

/// The least text after all texts with this prefix, by bytes.
pub(crate) fn successor(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            last => char::from_u32(u32::from(last) + 1),
        };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

fn bytes(uuid: &str) -> Option<Vec<u8>> {
    let hyphens = |(at, char): (usize, char)| (char == '-') == matches!(at, 8 | 13 | 18 | 23);
    let is_lower = |char: char| char == '-' || matches!(char, '0'..='9' | 'a'..='f');
    if uuid.len() != 36 || !uuid.char_indices().all(hyphens) || !uuid.chars().all(is_lower) {
        return None;
    }
    let digits: String = uuid.chars().filter(|&char| char != '-').collect();
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_every_mix_of_case() {
        let uuid = "0a00b00c-0d00-4000-8000-0000000000ef";
        let ranges = of_uuid(uuid);
        assert_eq!(ranges.len(), 5);
        let letters: Vec<usize> = uuid
            .char_indices()
            .filter(|(_, char)| char.is_ascii_lowercase())
            .map(|(at, _)| at)
            .collect();
        for mixture in 0..1_u32 << letters.len() {
            let mut text = uuid.to_owned().into_bytes();
            for (bit, &at) in letters.iter().enumerate() {
                if mixture >> bit & 1 == 1 {
                    text[at].make_ascii_uppercase();
                }
            }
            let text = String::from_utf8(text).unwrap();
            let within = ranges.iter().filter(|range| match range {
                (Value::Text(low), Value::Text(high), Type::Text) => *low <= text && text <= *high,
                _ => false,
            });
            assert_eq!(within.count(), 1, "{text}");
        }
        let stored = [0x0a, 0, 0xb0, 0x0c, 0x0d, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xef];
        let stored = Value::Bytes(stored.to_vec());
        assert_eq!(ranges[4], (stored.clone(), stored, Type::Binary));
    }

    #[test]
    fn prefix_ranges_end_before_the_next_character() {
        for (pattern, prefix, behind) in [
            ("ab%", "ab", Some("ac")),
            ("ab_c%", "ab", Some("ac")),
            ("a\\%b%", "a%b", Some("a%c")),
            ("a\u{7f}%", "a\u{7f}", Some("a\u{80}")),
            ("a\u{d7ff}", "a\u{d7ff}", Some("a\u{e000}")),
            ("a\u{10ffff}%", "a\u{10ffff}", Some("b")),
            ("\u{10ffff}%", "\u{10ffff}", None),
        ] {
            assert_eq!(literal_prefix(pattern), prefix);
            assert_eq!(successor(prefix).as_deref(), behind, "{pattern}");
        }
        assert_eq!(literal_prefix("%a"), "");
        let column = |declared: &str, loose_equality| {
            let column = Column::new("c", Type::Text);
            Column { declared: declared.to_owned(), loose_equality, ..column }
        };
        assert!(of_prefix(&column("STRING", false), "1").is_none());
        assert!(of_prefix(&column("", false), "1").is_none());
        assert!(of_prefix(&column("POINT_TEXT", false), "1").is_none());
        let behind = |column: &Column| of_prefix(column, "AB").and_then(|range| range.behind);
        assert_eq!(behind(&column("varchar(9)", false)).as_deref(), Some("AC"));
        assert_eq!(behind(&column("TEXT", true)).as_deref(), Some("ac"));
        let range = of_prefix_in(PrefixOrder::Pattern, "a~\u{e9}b").unwrap();
        assert_eq!((range.low.as_str(), range.behind.as_deref()), ("a~", Some("a\u{7f}")));
        assert_eq!(of_prefix_in(PrefixOrder::C, "\u{e9}"), None);
    }

    #[test]
    fn digits_have_one_stored_form() {
        let ranges = of_uuid("00000000-0000-4000-8000-000000000001");
        assert_eq!(ranges.len(), 2);
        assert_eq!(ranges[0].0, ranges[0].1);
        assert!(of_uuid("no uuid").is_empty() && of_uuid("é").is_empty());
    }
}
