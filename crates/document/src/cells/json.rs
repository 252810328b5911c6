//! JSON text: strings, and embedded JSON without its insignificant white space.

use std::ops::Range;

use memchr::memchr2;

/// For every byte: 0 if it is literal in a JSON string, otherwise its escape.
static ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0A] = b'n';
    table[0x0C] = b'f';
    table[0x0D] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Appends text as a JSON string (RFC 8259 §7). Bytes that are not UTF-8 are replaced by U+FFFD.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_escaped_text(text, out);
    out.push(b'"');
}

/// The same without quotes.
pub(crate) fn write_escaped_text(text: &[u8], out: &mut Vec<u8>) {
    if is_literal(text) {
        out.extend_from_slice(text);
    } else if std::str::from_utf8(text).is_ok() {
        write_escaped(text, out);
    } else {
        write_escaped(String::from_utf8_lossy(text).as_bytes(), out);
    }
}

/// Whether a text is ASCII without a character that a string escapes: most are, so it is looked at by eight bytes.
fn is_literal(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks();
    words.iter().all(|word| is_literal_word(u64::from_ne_bytes(*word)))
        && rest.iter().all(|&byte| byte.is_ascii() && ESCAPES[usize::from(byte)] == 0)
}

/// The same of eight bytes. A byte is below another one where subtracting that sets its highest bit, which it had not;
/// a borrow from the byte before comes from one that is below, too.
fn is_literal_word(word: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (word | below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGHEST == 0
}

fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut clean = 0;
    for (index, &byte) in text.iter().enumerate() {
        let escape = ESCAPES[usize::from(byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&text[clean..index]);
        clean = index + 1;
        out.push(b'\\');
        out.push(escape);
        if escape == b'u' {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(b"00");
            out.extend_from_slice(&digits);
        }
    }
    out.extend_from_slice(&text[clean..]);
}

/// Bytes that the text takes in a JSON string at most, without its quotes.
pub(crate) fn escaped_length(text: &[u8]) -> usize {
    // Sums of a few bytes are kept small, so that many bytes are added at a time.
    let extra = |byte: u8| u16::from(byte < 0x20) * 5 + u16::from(byte == b'"' || byte == b'\\');
    let extras = text.chunks(255).map(|part| part.iter().map(|&byte| extra(byte)).sum::<u16>());
    let length = text.len() + extras.map(usize::from).sum::<usize>();
    match text.is_ascii() || std::str::from_utf8(text).is_ok() {
        true => length,
        // A byte may become a U+FFFD, of three.
        false => length.saturating_mul(3),
    }
}

/// Whether the text is one JSON value.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok()
}

/// Appends valid JSON without the white space between its tokens.
pub(crate) fn write_compact(json: &[u8], out: &mut Vec<u8>) {
    write_compact_part(json, 0..json.len(), &mut false, out);
}

/// The same of a part of the text, up to its end or a byte further; gives where the next part
/// begins. `in_string` says whether a part begins within a string.
pub(crate) fn write_compact_part(
    json: &[u8],
    part: Range<usize>,
    in_string: &mut bool,
    out: &mut Vec<u8>,
) -> usize {
    let (mut at, mut run) = (part.start, part.start);
    while at < part.end {
        if *in_string {
            let (end, closed) = string_rest(json, at..part.end);
            (at, *in_string) = (end, !closed);
            continue;
        }
        match json[at] {
            b'"' => *in_string = true,
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.extend_from_slice(&json[run..at]);
                run = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.extend_from_slice(&json[run..at]);
    at
}

/// The length of the JSON string that the text begins with, quotes included.
pub(crate) fn string_end(text: &[u8]) -> usize {
    string_rest(text, 1..text.len()).0
}

/// Where the string ends within which a part of the text begins, its quote included, and whether it
/// does; else the end of the part, or of the escape that it cuts.
fn string_rest(text: &[u8], part: Range<usize>) -> (usize, bool) {
    let mut at = part.start;
    while let Some(found) = text.get(at..part.end).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return (at + 1, true);
        }
        at += 2;
    }
    (at.clamp(part.end, text.len()), false)
}

/// The inside of a JSON object, without its braces and outer white space; `None` where the text
/// is not an object.
pub(crate) fn object_inside(json: &[u8]) -> Option<&[u8]> {
    let trimmed = json.trim_ascii();
    let inside = trimmed.strip_prefix(b"{")?.strip_suffix(b"}")?;
    Some(inside.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &[u8]) -> String {
        let mut out = Vec::new();
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings() {
        assert_eq!(string(b"plain"), r#""plain""#);
        assert_eq!(string(b"a\"b\\c\n\x01"), r#""a\"b\\c\n\u0001""#);
        assert_eq!(string("Räikkönen 🏁".as_bytes()), "\"Räikkönen 🏁\"");
        assert_eq!(string(b"\xff"), "\"\u{fffd}\"");
        // Each byte at each place among literal ones, and behind one that is below it by a borrow.
        for byte in 0..=u8::MAX {
            for (before, place) in
                (b'a'..=b'b').flat_map(|before| (0..17).map(move |at| (before, at)))
            {
                let mut text = vec![before; 17];
                text[place] = byte;
                let mut by_bytes = Vec::new();
                write_escaped(String::from_utf8_lossy(&text).as_bytes(), &mut by_bytes);
                assert_eq!(string(&text).as_bytes(), [b"\"", &by_bytes[..], b"\""].concat());
                assert_eq!(
                    is_literal(&text),
                    by_bytes == text && byte.is_ascii(),
                    "{byte} at {place}"
                );
            }
        }
    }

    #[test]
    fn escaped_lengths() {
        for text in [&b"plain"[..], b"a\"b\\c", "R\u{e4}ikk\u{f6}nen".as_bytes()] {
            assert_eq!(escaped_length(text), string(text).len() - 2);
        }
        let control = [1; 1_000];
        assert_eq!(escaped_length(&control), string(&control).len() - 2);
        assert_eq!(escaped_length(b"\xff\xff"), string(b"\xff\xff").len() - 2);
        assert!(escaped_length(b"\n") >= 2);
    }

    #[test]
    fn compact() {
        let mut out = Vec::new();
        write_compact(b" { \"a b\" : [ 1 , \"x \\\" y\" ] }\n", &mut out);
        assert_eq!(out, br#"{"a b":[1,"x \" y"]}"#);
        let text = br#"{"a": [1, "x \" y", "", "\\"], "b" : {"c": null}}"#;
        for cut in 0..=text.len() {
            let (mut out, mut in_string) = (Vec::new(), false);
            let next = write_compact_part(text, 0..cut, &mut in_string, &mut out);
            assert!((cut..=cut + 1).contains(&next), "{cut} {next}");
            write_compact_part(text, next..text.len(), &mut in_string, &mut out);
            assert_eq!(out, br#"{"a":[1,"x \" y","","\\"],"b":{"c":null}}"#, "cut at {cut}");
        }
        assert!(is_json(b"[1, {\"a\": null}]"));
        assert!(!is_json(b"[1,") && !is_json(b"") && !is_json(b"{a:1}"));
    }
}
