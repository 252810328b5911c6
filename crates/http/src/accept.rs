//! `Accept` and `If-None-Match` (RFC 9110 §12.5.1, §13.1.2).

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

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

/// Whether a client that sends this `Accept` takes JSON.
pub(crate) fn takes_json(accept: Option<&[u8]>) -> bool {
    let Some(accept) = accept else { return true };
    if accept == b"*/*" || accept.starts_with(b"application/json") && !accept.contains(&b';') {
        return true;
    }
    let Ok(accept) = std::str::from_utf8(accept) else { return false };
    let mut best = None;
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or("").to_ascii_lowercase();
        let specific = match media.as_str() {
            "application/json" => 3,
            "application/*" => 2,
            "*/*" => 1,
            _ => continue,
        };
        let refused = parts.any(|parameter| {
            let quality = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="));
            quality.and_then(|quality| quality.trim().parse::<f32>().ok()) == Some(0.0)
        });
        if best.is_none_or(|(known, _)| specific > known) {
            best = Some((specific, !refused));
        }
    }
    best.is_some_and(|(_, taken)| taken)
}

/// Whether one of the tags in `If-None-Match` is this one; weak and strong tags are compared
/// alike.
pub(crate) fn none_match(header: &[u8], etag: &str) -> bool {
    let Ok(header) = std::str::from_utf8(header) else { return false };
    let header = header.trim();
    if header == "*" || header == etag {
        return true;
    }
    // Oracle's clients send tags without quotes.
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
    header.split(',').any(|tag| bare(tag) == etag.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept() {
        for yes in [
            "*/*",
            "application/json",
            "application/json, text/plain, */*",
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/*",
            "application/json;charset=utf-8",
        ] {
            assert!(takes_json(Some(yes.as_bytes())), "{yes}");
        }
        for no in
            ["text/html", "application/json;q=0", "application/xml, application/json;q=0, */*", ""]
        {
            assert!(!takes_json(Some(no.as_bytes())), "{no}");
        }
        assert!(takes_json(None));
    }

    #[test]
    fn tags() {
        for yes in ["\"A1\"", "W/\"A1\"", "\"B\", \"A1\"", "*", "A1"] {
            assert!(none_match(yes.as_bytes(), "\"A1\""), "{yes}");
        }
        assert!(!none_match(b"\"A\"", "\"A1\""));
    }
}
