//! What SQLite may hold for a UUID: text in whatever case, or its 16 bytes.

use duet_model::{Type, Value};

/// How many letters are tried in both cases. Behind them, a range from the rest in upper case to the
/// rest in lower case holds every mixture, and little else: other values that agree in all up to the
/// third letter.
const TRIED: usize = 2;

/// The ranges of what may be stored for a UUID given in lower case with hyphens; none for other text.
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
    fn every_mixture_lies_in_a_range() {
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
    fn digits_alone_have_one_spelling() {
        let ranges = of_uuid("00000000-0000-4000-8000-000000000001");
        assert_eq!(ranges.len(), 2);
        assert_eq!(ranges[0].0, ranges[0].1);
        assert!(of_uuid("no uuid").is_empty() && of_uuid("é").is_empty());
    }
}
