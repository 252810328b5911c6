//! Numbers in SQLite's binary form of JSON (<https://sqlite.org/jsonb.html>), which keeps all of their digits: the text of
//! a number behind a header.
//!
//! A column declared `JSON` has numeric affinity, so the text of a bare number becomes an integer or a float there.

/// The kinds of elements that are numbers in JSON's own notation.
const INTEGER: u8 = 3;
const FLOAT: u8 = 5;

/// A number as an element.
///
/// ```
/// use duet_text::json::binary::{number_element, number_text};
///
/// let digits = "12345678901234567890.50";
/// assert_eq!(number_text(&number_element(digits)), Some(digits));
/// ```
pub fn number_element(text: &str) -> Vec<u8> {
    let kind = if text.contains(['.', 'e', 'E']) { FLOAT } else { INTEGER };
    let length = text.len().to_be_bytes();
    let zeros = length.iter().take_while(|byte| **byte == 0).count();
    let bytes = length.get(zeros..).unwrap_or_default();
    let mut element = Vec::with_capacity(text.len() + 9);
    match bytes {
        [] => element.push(kind),
        [short] if *short <= 11 => element.push(short << 4 | kind),
        [one] => element.extend([12 << 4 | kind, *one]),
        [_, _] => {
            element.push(13 << 4 | kind);
            element.extend(bytes);
        }
        _ => {
            element.push(14 << 4 | kind);
            element.extend(length.get(4..).unwrap_or_default());
        }
    }
    element.extend(text.as_bytes());
    element
}

/// The text of the number that an element is; `None` for anything else.
pub fn number_text(element: &[u8]) -> Option<&str> {
    let (&head, rest) = element.split_first()?;
    if ![INTEGER, FLOAT].contains(&(head & 0x0f)) {
        return None;
    }
    let width = match head >> 4 {
        short @ 0..=11 => return text_of(rest, usize::from(short)),
        12 => 1,
        13 => 2,
        14 => 4,
        _ => 8,
    };
    let (length, rest) = rest.split_at_checked(width)?;
    let length = length
        .iter()
        .try_fold(0_usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)))?;
    text_of(rest, length)
}

fn text_of(bytes: &[u8], length: usize) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() == length)?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    (is_number && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_four_widths() {
        assert_eq!(number_element("123"), b"\x33123");
        assert_eq!(number_element("-1.5e300"), b"\x85-1.5e300");
        assert_eq!(number_element("123456789012")[..3], [0xc3, 12, b'1']);
        for length in [1, 11, 12, 255, 256, 65_535, 65_536] {
            let digits = "7".repeat(length);
            assert_eq!(number_text(&number_element(&digits)), Some(&*digits), "{length}");
        }
        for other in [&b""[..], b"\x33", b"\x3312", b"\x331234", b"3123", b"\x37abc", b"\x33a1b"] {
            let is_it = number_text(other);
            assert!(is_it.is_none() || other == b"3123", "{other:?}: {is_it:?}");
        }
    }
}
