//! Lists of documents as clients see them: the members that checks compare, found in the text without a tree.

use std::cmp::Ordering;

use memchr::memmem;

use super::queries::SortDirection;

/// The values of a member, wherever it is in a text of JSON: texts without their quotes, as they are written.
pub(super) fn values<'a>(text: &'a [u8], member: &str) -> Vec<&'a [u8]> {
    let quoted = format!("\"{member}\"");
    let ends = memmem::find_iter(text, quoted.as_bytes()).map(|at| at + quoted.len());
    ends.filter_map(|end| value_behind(&text[end..])).collect()
}

/// The value behind a member's name; `None` if it is no name.
fn value_behind(text: &[u8]) -> Option<&[u8]> {
    let value = text.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    match value.strip_prefix(b"\"") {
        Some(value) => Some(&value[..closing_quote(value)?]),
        None => {
            let is_end =
                |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            Some(&value[..value.iter().position(is_end)?])
        }
    }
}

fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The number of all documents that the search finds, whatever the page holds.
pub(super) fn total(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(values(text, "totalRecords").last()?).ok()?.parse().ok()
}

/// Whether rows of values are in order. Texts compare without case, as the collections' orders do.
pub(super) fn is_ordered(columns: &[(Vec<&[u8]>, SortDirection)]) -> bool {
    let rows = columns.iter().map(|(values, _)| values.len()).min().unwrap_or(0);
    let compare = |row: usize| {
        let by_column = columns.iter().map(|(values, direction)| {
            let [one, next] = [values[row - 1], values[row]].map(<[u8]>::to_ascii_lowercase);
            match direction {
                SortDirection::Ascending => one.cmp(&next),
                SortDirection::Descending => next.cmp(&one),
            }
        });
        by_column.fold(Ordering::Equal, Ordering::then)
    };
    (1..rows).all(|row| compare(row) != Ordering::Greater)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = br#"{"poLines": [
        {"a" : "x", "more": {"d": "1"}, "b": true},
        {"a":"\"a\":", "more":{"d":"2"}, "b":7}], "totalRecords": 12 }"#;

    #[test]
    fn members_of_documents() {
        let texts = |member| {
            values(LIST, member).into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>()
        };
        assert_eq!(texts("a"), ["x", r#"\"a\":"#]);
        assert_eq!(
            (texts("b"), texts("d")),
            (vec!["true".into(), "7".into()], vec!["1".into(), "2".into()])
        );
        assert_eq!((texts("x").len(), total(LIST), total(b"{}")), (0, Some(12), None));
        assert_eq!(values(br#"{"cut":"of"#, "cut").len() + values(br#"{"cut":1"#, "cut").len(), 0);
    }

    #[test]
    fn orders_by_several_members() {
        use SortDirection::{Ascending, Descending};
        let first = || vec![&b"a"[..], b"B", b"b"];
        let of = |second: [&'static [u8]; 3], direction| {
            is_ordered(&[(first(), Ascending), (second.to_vec(), direction)])
        };
        assert!(of([b"9", b"1", b"2"], Ascending) && !of([b"9", b"1", b"2"], Descending));
        assert!(of([b"1", b"2", b"1"], Descending) && is_ordered(&[]));
        assert!(!is_ordered(&[(first(), Descending)]));
    }
}
