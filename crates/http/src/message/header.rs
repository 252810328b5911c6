//! Header values as lists, elements and parameters (RFC 9110 §5.6): separators inside quoted strings
//! separate nothing, names are compared without case, and blanks around them do not count.

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, DATE, HeaderName, HeaderValue, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};

/// The value of a header that is a list; lines of the same name are one (RFC 9110 §5.3).
pub(crate) fn list<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, [u8]>> {
    let mut lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = lines.next()?;
    let mut all = Cow::Borrowed(first);
    for line in lines {
        all.to_mut().extend_from_slice(b", ");
        all.to_mut().extend_from_slice(line);
    }
    Some(all)
}

/// Headers that say how the bytes of an answer are sent, which is the server's affair alone.
const OF_TRANSFER: [HeaderName; 8] =
    [CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, DATE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// The name of a header that others than the server may set. `None` for those of the transfer, and for what is no name.
pub(crate) fn settable(name: &str) -> Option<HeaderName> {
    let name = HeaderName::try_from(name).ok()?;
    let is_own = OF_TRANSFER.contains(&name) || name.as_str() == "keep-alive";
    (!is_own).then_some(name)
}

/// Whether the client takes no answer from memory: `Cache-Control: no-cache` (RFC 9111 §5.2.1.4).
pub(crate) fn wants_fresh(headers: &HeaderMap) -> bool {
    let directives = list(headers, &CACHE_CONTROL);
    directives.is_some_and(|directives| {
        let mut each = directives.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        each.any(|one| {
            [&b"no-cache"[..], b"no-store"].iter().any(|word| one.eq_ignore_ascii_case(word))
        })
    })
}

/// The elements of a list, without the blanks around them; empty ones are left out.
pub(crate) fn elements(text: &str) -> impl Iterator<Item = &str> {
    split(text, b',').filter(|element| !element.is_empty())
}

/// The parts between the semicolons of an element, the first of which is its value.
pub(crate) fn parts(element: &str) -> impl Iterator<Item = &str> {
    split(element, b';')
}

/// A name and its value: `name = value`, where the value is a token or a quoted string. `None` where
/// it is neither, or the name is no token. Without a value, the value is empty.
pub(crate) fn pair(part: &str) -> Option<(&str, Cow<'_, str>)> {
    let (name, value) = match part.split_once('=') {
        None => (part, None),
        Some((name, value)) => (name, Some(value)),
    };
    let name = name.trim_matches(BLANKS);
    let value = match value.map(|value| value.trim_matches(BLANKS)) {
        None | Some("") => Cow::Borrowed(""),
        Some(value) => word(value)?,
    };
    is_token(name).then_some((name, value))
}

const BLANKS: [char; 2] = [' ', '\t'];

/// The characters of a token (RFC 9110 §5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

/// A token, or the content of a quoted string.
fn word(text: &str) -> Option<Cow<'_, str>> {
    let Some(quoted) = text.strip_prefix('"') else {
        return is_token(text).then_some(Cow::Borrowed(text));
    };
    let mut unescaped = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => unescaped.push(chars.next()?),
            char => unescaped.push(char),
        }
    }
    chars.as_str().is_empty().then_some(Cow::Owned(unescaped))
}

/// Splits at a separator outside of quoted strings.
fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut quoted, mut escaped) = (false, false);
        let end = text.bytes().position(|byte| {
            let ends = byte == separator && !quoted;
            if escaped {
                escaped = false;
            } else if byte == b'"' {
                quoted = !quoted;
            } else if byte == b'\\' {
                escaped = quoted;
            }
            ends
        });
        rest = end.map(|at| &text[at + 1..]);
        Some(end.map_or(text, |at| &text[..at]).trim_matches(BLANKS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        for (text, expected) in [
            ("a, b ,\tc", &["a", "b", "c"][..]),
            ("a;x=\"1,2\", b", &["a;x=\"1,2\"", "b"]),
            (r#"a="\",b", c"#, &[r#"a="\",b""#, "c"]),
            (", ,a,", &["a"]),
            ("", &[]),
            ("\"never closed, b", &["\"never closed, b"]),
        ] {
            assert_eq!(elements(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn pairs() {
        for (text, expected) in [
            ("tx=rollback", Some(("tx", "rollback"))),
            (" tx \t= \"roll\\back\" ", Some(("tx", "rollback"))),
            ("tx", Some(("tx", ""))),
            ("tx=", Some(("tx", ""))),
            ("tx=\"\"", Some(("tx", ""))),
            ("tx=a b", None),
            ("tx=\"a\"b", None),
            ("tx=\"a", None),
            ("t x=a", None),
            ("=a", None),
            ("", None),
        ] {
            let found = pair(text);
            let found = found.as_ref().map(|(name, value)| (*name, &**value));
            assert_eq!(found, expected, "{text}");
        }
    }
}
